/**
 * Sessions on the disk: signing in or out is synced before the answer, use of a session is not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import type * as Fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { afterAll, beforeEach, expect, test, vi } from "vitest";

import { createKeyring } from "./keyring.ts";

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
