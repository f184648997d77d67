/** `turnproof journal replay` as an operator runs it, over what a drain had to set aside. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { openJournal } from "@turnproof/exporter/journal";
import { clickhouse, filesystem, issueOperatorGrant } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { expect, test } from "vitest";

import { encodeFrame } from "../../../collector/src/otlp/frame-codec.ts";
import { turnEvents } from "./desk.ts";

const launcher = join(import.meta.dirname, "../../../collector/bin/turnproof.js");

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function replay(backend: string, dataDir: string): Promise<Ran> {
  const argv = [launcher, "journal", "replay", "--json", "--data-dir", dataDir];
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
  filesystem: async (dataDir) =>
    (await filesystem({ directory: join(dataDir, "files"), reads: "native" })).evidence,
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
