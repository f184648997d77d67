/**
 * Sessions on the disk: signing in or out is synced before the answer, use of a session is not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import type * as Fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";

import { createKeyring } from "./keyring.ts";
import type { OperatorSession, SessionShare } from "./session-share.ts";

const calls: string[] = [];

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>();
  return {
    ...fs,
    writeFileSync: (...given: Parameters<typeof fs.writeFileSync>) => {
      const [, , options] = given;
      const flushed = typeof options === "object" && options?.flush === true;
      calls.push(flushed ? "write and sync" : "write");
      fs.writeFileSync(...given);
    },
    renameSync: (...given: Parameters<typeof fs.renameSync>) => {
      calls.push("rename");
      fs.renameSync(...given);
    },
    fsyncSync: (descriptor: number) => {
      calls.push(fs.fstatSync(descriptor).isDirectory() ? "sync folder" : "sync");
      fs.fsyncSync(descriptor);
    },
  };
});

// Other files of this worker share its modules: they load theirs over the real file system.
vi.resetModules();
const { createSessions } = await import("./sessions.ts");
afterAll(() => vi.resetModules());

const directory = mkdtempSync(join(tmpdir(), "turnproof-sessions-"));
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => void calls.splice(0));

const lasting = ["write and sync", "rename", "sync folder"];

test("a sign-in and a sign-out outlast a power cut; using a session waits for no disk", async () => {
  let at = Date.UTC(2026, 10, 23);
  const keyring = createKeyring(parseKeyring("k1:0123456789abcdef0123456789abcdef"));
  const options = { keyring, file: join(directory, "sessions.json"), now: () => at };
  const sessions = createSessions(options);
  const { cookie, id } = await sessions.open({ principal: "otto", credential: "token" });
  expect(calls.splice(0)).toEqual(lasting);
  at += 5 * 60_000;
  expect(await sessions.find(cookie)).toMatchObject({ id });
  expect(calls.splice(0)).toEqual(["write", "rename"]);
  await sessions.end(id);
  expect(calls.splice(0)).toEqual(lasting);
  await sessions.open({ principal: "otto", credential: "token" });
  calls.splice(0);
  sessions.endAll("otto");
  expect(calls).toEqual(lasting);
  expect(createSessions(options).size).toBe(0);
});

describe("a clock that is set", () => {
  const keyring = createKeyring(parseKeyring("k1:0123456789abcdef0123456789abcdef"));
  const opener = { principal: "otto", credential: "token" };
  const day = 24 * 3_600_000;
  const start = Date.UTC(2026, 10, 23);
  /** One store of two collectors. */
  const shared = (): SessionShare => {
    const rows = new Map<string, OperatorSession | "ended">();
    return {
      look: async (id) => structuredClone(rows.get(id) ?? "absent"),
      put: async (id, session) => {
        if (rows.get(id) !== "ended") rows.set(id, structuredClone(session));
      },
      end: async (ids) => ids.forEach((id) => rows.set(id, "ended")),
      close: async () => {},
    };
  };
  let clocks = { now: start, elapsed: 0 };
  beforeEach(() => {
    clocks = { now: start, elapsed: 0 };
  });
  const pass = (ms: number): void => {
    clocks = { now: clocks.now + ms, elapsed: clocks.elapsed + ms };
  };
  const set = (ms: number): void => {
    clocks = { ...clocks, now: clocks.now + ms };
  };
  const times = { now: () => clocks.now, elapsed: () => clocks.elapsed };
  const places = [
    ["in a file", () => ({ keyring, file: join(directory, "clock.json"), ...times })],
    ["in a store that collectors share", () => ({ keyring, share: shared(), ...times })],
  ] as const;

  describe.each(places)("%s", (_name, make) => {
    test("ends what was signed in while it was ahead", async () => {
      const options = make();
      set(day);
      const { cookie } = await createSessions(options).open(opener);
      set(-day);
      expect(await createSessions(options).find(cookie)).toBeUndefined();
      // Its issue is not ahead any more, and it was never used.
      pass(day);
      expect(await createSessions(options).find(cookie)).toBeUndefined();
    });

    test("does not bring back what was refused as too old", async () => {
      const options = make();
      const sessions = createSessions(options);
      const { cookie } = await sessions.open(opener);
      set(day);
      expect(await sessions.find(cookie)).toBeUndefined();
      set(-day);
      expect(await sessions.find(cookie)).toBeUndefined();
      expect(await createSessions(options).find(cookie)).toBeUndefined();
    });

    test("stretches no session of a running process, and ends none for a small difference", async () => {
      const options = make();
      const sessions = createSessions(options);
      const { cookie, id } = await sessions.open(opener);
      set(-4 * 60_000);
      expect(await sessions.find(cookie)).toMatchObject({ id });
      for (let hours = 0; hours < 7.5; hours += 0.25) {
        pass(15 * 60_000);
        // As a clock that is slow and set each time.
        set(-5 * 60_000);
        expect(await sessions.find(cookie)).toMatchObject({ id });
      }
      pass(29 * 60_000);
      expect(await sessions.find(cookie)).toMatchObject({ id });
      pass(2 * 60_000);
      expect(await sessions.find(cookie)).toBeUndefined();
    });
  });
});
