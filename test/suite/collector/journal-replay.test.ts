/** `turnproof journal` as an operator runs it, over what a drain had to set aside. */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { openJournal } from "@turnproof/journal";
import { clickhouse, filesystem, issueOperatorGrant } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { openDesk, turnEvents } from "./desk.ts";

const launcher = join(import.meta.dirname, "../../../collector/bin/turnproof.js");

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const replay = (backend: string, dataDir: string): Promise<Ran> =>
  journalCommand(["replay", "--json"], dataDir, backend);
const list = (dataDir: string, ...flags: readonly string[]): Promise<Ran> =>
  journalCommand(["list", ...flags], dataDir, "filesystem");

function journalCommand(args: readonly string[], dataDir: string, backend: string): Promise<Ran> {
  const argv = [launcher, "journal", ...args, "--data-dir", dataDir];
  const env = { PATH: process.env["PATH"], TURNPROOF_BACKEND: backend };
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

/** Sets rows aside as the drain does; answers the ids of those that a store would take now. */
async function setAside(dataDir: string): Promise<readonly string[]> {
  const [first, healed, second] = turnEvents({ root: "root-1" }) as [
    TurnEvent,
    TurnEvent,
    TurnEvent,
  ];
  const received_at = "2026-11-21T10:00:00.000000Z";
  const events = [first, healed, { ...second, operation: "x".repeat(241) }];
  const payload = encodeFrame(events.map((event) => ({ ...event, received_at })));
  const journal = await openJournal({ directory: join(dataDir, "journal") });
  const code = "store_rejected_row";
  await journal.quarantine({ code, payload, rows: [1, 2], spans: 2 });
  await journal.quarantine({
    code: "record_invalid",
    payload: Buffer.from("{"),
    rows: null,
    spans: 7,
  });
  await journal.close();
  return [healed.event_id];
}

const stores: Readonly<Record<string, (dataDir: string) => Promise<EvidenceStore>>> = {
  filesystem: async (dataDir) => (await filesystem({ directory: join(dataDir, "files") })).evidence,
  clickhouse: (dataDir) => clickhouse({ connection: { dataDir: join(dataDir, "clickhouse") } }),
};

test.each(Object.entries(stores))(
  "%s takes what it can, keeps the rest aside, and a second try changes nothing",
  async (backend, open) => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-replay-"));
    const expected = await setAside(dataDir);
    const first = await replay(backend, dataDir);
    expect([first.code, JSON.parse(first.out)]).toEqual([3, { replayed: 1, remaining: 8 }]);
    const second = await replay(backend, dataDir);
    expect([second.code, JSON.parse(second.out)]).toEqual([3, { replayed: 0, remaining: 8 }]);
    expect(first.err + second.err).toBe("");
    const store = await open(dataDir);
    const scope = { operator: issueOperatorGrant() };
    const { events } = await store.page(scope, { store: "all" }, { limit: 10 });
    expect(events.map((event) => event.event_id)).toEqual(expected);
    await store.close();
  },
);

test("a directory without a journal is an error, and does not come into being", async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), "turnproof-replay-")), "mistyped");
  const ran = await replay("filesystem", dataDir);
  expect([ran.code, existsSync(join(dataDir, "journal"))]).toEqual([2, false]);
  expect(JSON.parse(ran.out)).toMatchObject({ code: "file_unreadable" });
});

test("a journal that a collector uses is left alone", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-replay-"));
  const journal = await openJournal({ directory: join(dataDir, "journal") });
  const ran = await replay("filesystem", dataDir);
  expect(ran.code).toBe(1);
  expect(JSON.parse(ran.out)).toMatchObject({ code: "journal_locked" });
  await journal.close();
});

interface Listed {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly items: number;
  readonly damaged: number;
}

const jsonOf = ({ out }: Ran): Listed => JSON.parse(out) as Listed;

describe("what lies in quarantine", () => {
  test("is listed with reason, time, size, producer and places, and without its content", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-list-"));
    const began = Date.now();
    await setAside(dataDir);
    const { code, out } = await list(dataDir, "--json");
    const { records, items, damaged } = jsonOf({ code, out, err: "" });
    expect([code, records.length, items, damaged]).toEqual([3, 2, 9, 0]);
    expect(records.toSorted((a, b) => Number(a["items"]) - Number(b["items"]))).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        reason: "store_rejected_row",
        set_aside_at: expect.any(String),
        items: 2,
        bytes: expect.any(Number),
        producers: ["desk"],
        places: [1, 2],
      },
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        reason: "record_invalid",
        set_aside_at: expect.any(String),
        items: 7,
        bytes: 1,
        producers: null,
        places: null,
      },
    ]);
    for (const { set_aside_at: at } of records) {
      expect(Date.parse(String(at))).toBeGreaterThanOrEqual(began);
      expect(Date.parse(String(at))).toBeLessThanOrEqual(Date.now());
    }
    const table = await list(dataDir);
    expect(table.code).toBe(3);
    expect(table.out).toMatch(/REASON +ITEMS +SIZE/);
    expect(table.out).toMatch(/store_rejected_row +2 +\S+ \S+ +desk +1,2/);
    expect(table.out).toMatch(/record_invalid +7 +1 B +\? +\?/);
    expect(table.err).toContain("turnproof journal replay");
    for (const text of [out, table.out, table.err]) {
      expect(text).not.toMatch(/root-1|helper|xxx/);
    }
  });

  test("is listed while a collector holds the journal, and nothing of it is touched", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-list-"));
    await setAside(dataDir);
    const directory = join(dataDir, "journal");
    const journal = await openJournal({ directory });
    const before = readdirSync(directory).toSorted();
    expect((await list(dataDir)).code).toBe(3);
    expect(readdirSync(directory).toSorted()).toEqual(before);
    await journal.close();
  });

  test("is told from a record whose bytes were changed", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-list-"));
    await setAside(dataDir);
    const directory = join(dataDir, "journal");
    const names = readdirSync(directory).filter((name) => name.endsWith(".quarantine"));
    const [name = ""] = names;
    const bytes = readFileSync(join(directory, name));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 0xff, bytes.length - 1);
    writeFileSync(join(directory, name), bytes);
    const { records, damaged } = jsonOf(await list(dataDir, "--json"));
    expect([records.length, damaged]).toEqual([2, 1]);
    expect(records.find(({ reason }) => reason === "damaged")).toEqual({
      id: name.slice(0, 32),
      reason: "damaged",
      set_aside_at: null,
      items: null,
      bytes: bytes.length,
      producers: null,
      places: null,
    });
  });

  test("stands on Health with what to do; where there is none, nothing is said", async () => {
    for (const some of [true, false]) {
      const dataDir = mkdtempSync(join(tmpdir(), "turnproof-list-"));
      if (some) await setAside(dataDir);
      const desk = await openDesk({ TURNPROOF_DATA_DIR: dataDir });
      const html = await (await desk.get("/traces/health", { accept: "text/html" })).text();
      await desk.collector.close();
      expect(html.includes("9 set aside")).toBe(some);
      expect(html.includes("turnproof journal list")).toBe(some);
    }
  });

  test("is nothing, in words and in the exit code, or a directory that is not there", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-list-"));
    expect((await list(join(dataDir, "mistyped"), "--json")).code).toBe(2);
    mkdirSync(join(dataDir, "journal"));
    const { code, out } = await list(dataDir);
    expect([code, out]).toEqual([0, "Nothing is in quarantine.\n"]);
    expect(jsonOf(await list(dataDir, "--json"))).toEqual({ records: [], items: 0, damaged: 0 });
  });
});
