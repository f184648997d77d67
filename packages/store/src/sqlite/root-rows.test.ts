/** Deleting rows of a root deletes its turns: a new epoch, and records of what remains. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { deleteUserEvidence } from "../erasure.ts";
import type { EvidenceStore } from "../evidence-store.ts";
import { filesystem } from "../filesystem/filesystem.ts";
import { recordsOf } from "../ledger/turn-records.ts";
import { defaultRetention } from "../retention.ts";
import { settle } from "../settle.ts";
import { allTenants, receivedAt, sampleEvent, sampleTurn } from "../testing/sample-event.ts";

const made: string[] = [];
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

const every = { scope: allTenants, where: [] };
const newest = { order: { by: "first_received" }, limit: 9 } as const;
const mark = "onlyherxq";

const shared = [
  ...sampleTurn("root-shared", { user_id: "bob", agent_id: "second", thread_id: "t" }),
  sampleEvent("her", {
    root_trace_id: "root-shared",
    event_kind: "turn",
    user_id: mark,
    agent_id: "helper",
    thread_id: `thread-${mark}`,
  }),
];
const own = sampleTurn(`root-${mark}`, { user_id: mark, agent_id: "helper", thread_id: "t" });

/** Stores both roots and records their turns as a judge does. */
async function fill(store: EvidenceStore): Promise<void> {
  for (const [n, events] of [shared, own].entries()) {
    await store.append({ batchId: `b${n}`, receivedAt: receivedAt(n), events });
    const root = events[0]?.root_trace_id ?? "";
    const { events: held } = await store.root(allTenants, root, { limit: 99 });
    const version = { epoch: 0, rows: events.length, settled: true };
    const codes = { finding_codes: [], insight_codes: [], verdict_reasons: [] };
    const judged = { ...codes, judged_at: receivedAt(9), as_of: "" };
    const records = recordsOf(held, version, () => ({ verdict: "success", ...judged }));
    await store.ledger.putTurns(
      records.map((record) => ({ ...record, first_received: receivedAt(0) })),
    );
  }
}

test("a deleted user's turns go, and those of others are recorded anew", async () => {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-turns-"));
  made.push(directory);
  await using provider = await filesystem({ directory });
  const store = provider.evidence;
  await fill(store);
  const before = await store.ledger.listTurns(every, newest);
  expect(before.records).toHaveLength(3);
  await deleteUserEvidence(store, { userId: mark, dryRun: false });
  const { records } = await store.ledger.listTurns(every, newest);
  const left = await store.root(allTenants, "root-shared", { limit: 99 });
  const version = { epoch: 1, rows: left.events.length, settled: false };
  expect(records).toEqual(
    recordsOf(
      settle(left.events as Parameters<typeof settle>[0]).map(({ event }) => event),
      version,
    ).map((record) => ({ ...record, first_received: receivedAt(0) })),
  );
  expect(records.map(({ row }) => [row.user_id, row.verdict ?? null])).toEqual([["bob", null]]);
  const standing = await store.standing(["root-shared", `root-${mark}`, "nobody"]);
  expect([...standing]).toEqual([
    ["root-shared", { rows: 3, epoch: 1 }],
    [`root-${mark}`, { rows: 0, epoch: 1 }],
  ]);
  for (const end of ["", "-wal"]) {
    const bytes = await readFile(join(directory, `evidence.sqlite${end}`), "latin1");
    expect(bytes).not.toContain(mark);
  }
  // A late write from the previous state of the root is rejected.
  const unknown = recordsOf(own, { epoch: 0, rows: 3, settled: true });
  await store.ledger.putTurns([
    ...before.records,
    ...unknown.map((record) => ({ ...record, key: "never written" })),
  ]);
  expect((await store.ledger.listTurns(every, newest)).records).toEqual(records);
});

test("retention takes the turns of a root with its rows", async () => {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-turns-"));
  made.push(directory);
  await using provider = await filesystem({ directory });
  await fill(provider.evidence);
  const now = "2027-06-01T12:00:00.000Z";
  await provider.retention.evidence({ policy: defaultRetention, now, dryRun: false });
  expect(await provider.evidence.ledger.countTurns(every)).toBe(0);
  expect((await provider.evidence.standing(["root-shared"])).get("root-shared")).toEqual({
    rows: 0,
    epoch: 1,
  });
});
