/**
 * @module Retention on ClickHouse takes what it takes elsewhere, drops whole weeks where everything
 * is past its age, and leaves no turn of what is gone; in one engine, and over two shards.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse, filesystem } from "@turnproof/store";
import type { ClickhouseConnection, EvidenceStore, TurnVersion } from "@turnproof/store";
import { clickhouseAdmin, defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import type { RetentionPolicy, RetentionReport } from "@turnproof/store/admin";
import { allTenants, sampleEvent, sampleNote, sampleTurn } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { recordsOf } from "../../../packages/store/src/ledger/turn-records.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";
import { twoShards } from "./cluster-config.ts";
import { gone, leftovers, mark } from "./erasure-world.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const now = "2026-06-01T12:00:00.000Z";
const before = (days: number): string =>
  new Date(Date.parse(now) - days * 86_400_000).toISOString().replace("Z", "000Z");

const outcomeOf = (root: string): TurnEvent =>
  sampleEvent("oo", {
    root_trace_id: root,
    event_kind: "outcome",
    phase: "event",
    parent_span_id: "aa",
    attributes: { outcome: "success", verified: true },
  });

async function fill(store: EvidenceStore): Promise<void> {
  const ann = { user_id: "ann", agent_id: "helper", thread_id: "t" };
  const bob = { ...ann, user_id: "bob" };
  const put = (days: number, root: string, events: readonly TurnEvent[]): Promise<void> =>
    store.append({ batchId: `${days} ${root}`, receivedAt: before(days), events });
  await put(800, "ancient", [...sampleTurn("ancient", ann), outcomeOf("ancient")]);
  await put(801, "spans", plain("spans"));
  // Its week is past every age, but the root goes on.
  await put(700, "slow", sampleTurn("slow", ann));
  await put(2, "slow", [sampleEvent("dd", { root_trace_id: "slow", parent_span_id: "aa" })]);
  await put(40, "old", [...sampleTurn("old", ann), outcomeOf("old")]);
  await put(40, "others", sampleTurn("others", bob));
  await put(35, "plain", plain("plain"));
  await put(35, "gone", sampleTurn("gone", ann));
  await put(20, "young", [...sampleTurn("young", ann), outcomeOf("young")]);
  for (const { root_trace_id: root = "" } of await shown(store)) {
    const { events } = await store.root(allTenants, root, { limit: 100 });
    const records = recordsOf(events, { epoch: 0, rows: events.length, settled: true });
    await store.ledger.putTurns(records);
    for (const { key: subject } of records) {
      await store.operatorRows.write(sampleNote(`${root} ${subject}`, { place: root, subject }));
    }
  }
}

/** Roots with a note. */
async function notedIn({ operatorRows }: EvidenceStore): Promise<ReadonlySet<string>> {
  const { tenant } = sampleNote("");
  const roots = "ancient spans slow old others plain gone young".split(" ");
  const notes = await Promise.all(roots.map((root) => operatorRows.list("note", [tenant], root)));
  return new Set(notes.flat().map(({ place }) => place));
}

const plain = (root: string): TurnEvent[] =>
  sampleTurn(root, {}).map((event) => ({ ...event, event_kind: "span", attributes: {} }));

async function shown(store: EvidenceStore): Promise<readonly TurnEvent[]> {
  const { events } = await store.page(allTenants, { store: "all" }, { limit: 1000 });
  return events.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ root_trace_id, span_id }: TurnEvent): string => `${root_trace_id} ${span_id}`;

async function turnsOf(store: EvidenceStore): Promise<readonly (readonly [string, TurnVersion])[]> {
  const question = { scope: allTenants, where: [] };
  const page = { order: { by: "ended_at" }, limit: 100 } as const;
  const { records } = await store.ledger.listTurns(question, page);
  return records.map(({ row, version }) => [row.root_trace_id ?? "", version] as const);
}

const counts = ({ classes }: RetentionReport): unknown => classes;

const policies: Readonly<Record<string, RetentionPolicy>> = {
  "one age for all": defaultRetention,
  "ages of a tenant": {
    ...defaultRetention,
    tenants: new Map([["ann", { metadata: 60, outcome: 900 }]]),
  },
};

let server: ClickhouseServer | undefined;
let databases = 0;
afterAll(() => server?.close());

const connections: Readonly<Record<string, () => Promise<ClickhouseConnection>>> = {
  "one engine": async () => ({ dataDir: await directories.make() }),
  "two shards": async () => {
    server ??= await startClickhouseServer(twoShards((n) => `retained_${n}`));
    databases += 1;
    return { url: server.url, database: `retained_${databases}`, cluster: "main" };
  },
};

const cases = Object.keys(policies).flatMap((policy) =>
  Object.keys(connections).map((place) => [policy, place] as const),
);

test.each(cases)("as elsewhere, with %s, on %s", { timeout: 120_000 }, async (name, place) => {
  const policy = policies[name] as RetentionPolicy;
  await using elsewhere = await filesystem({ directory: await directories.make() });
  await fill(elsewhere.evidence);
  const wanted = await elsewhere.retention.evidence({ policy, now });
  const connection = await (connections[place] as () => Promise<ClickhouseConnection>)();
  {
    await using store = await clickhouse({ connection });
    await fill(store);
  }
  {
    await using admin = await clickhouseAdmin({ connection });
    expect(counts(await admin.evidence({ policy, now }))).toEqual(counts(wanted));
    const done = await admin.evidence({ policy, now, dryRun: false });
    const there = await elsewhere.retention.evidence({ policy, now, dryRun: false });
    expect(counts(done)).toEqual(counts(there));
    expect(done.complete).toBe(true);
    const again = await admin.evidence({ policy, now, dryRun: false });
    expect(again.classes.every(({ expired }) => expired === 0)).toBe(true);
  }
  await using store = await clickhouse({ connection });
  expect(await shown(store)).toEqual(await shown(elsewhere.evidence));
  const left = new Set((await shown(store)).map(({ root_trace_id: root }) => root));
  const turns = await turnsOf(store);
  expect(new Set(turns.map(([root]) => root))).toEqual(left);
  expect(await notedIn(store)).toEqual(left);
  expect(await notedIn(elsewhere.evidence)).toEqual(left);
  // What lost rows is the judge's again, under a higher epoch; what did not is untouched.
  const versions = new Map(turns);
  expect(versions.get("young")).toEqual({ epoch: 0, rows: 4, settled: true });
  if (left.has("old") && name === "one age for all") {
    expect(versions.get("old")).toMatchObject({ epoch: 1, settled: false });
  }
});

test("a week of which everything is past goes as a partition", { timeout: 60_000 }, async () => {
  const connection = { dataDir: await directories.make() };
  {
    await using store = await clickhouse({ connection });
    for (const days of [800, 700, 3]) {
      const events = sampleTurn(`r${days}`, { user_id: "ann" });
      await store.append({ batchId: `${days}`, receivedAt: before(days), events });
    }
  }
  await using admin = await clickhouseAdmin({ connection });
  const end = new AbortController();
  end.abort();
  const policy = defaultRetention;
  const ended = await admin.evidence({ policy, now, dryRun: false, signal: end.signal });
  expect([ended.complete, ended.examined]).toEqual([false, 0]);
  const done = await admin.evidence({ policy, now, dryRun: false });
  expect(done.classes.find((one) => one.class === "metadata")).toEqual({
    class: "metadata",
    expired: 6,
    removed: 6,
  });
});

test("the turns of a deleted user go, to the last byte", { timeout: 120_000 }, async () => {
  const dataDir = await directories.make();
  await using store = await clickhouse({ connection: { dataDir } });
  const turn = (root: string, span: string, user: string): TurnEvent =>
    sampleEvent(span, {
      root_trace_id: root,
      event_kind: "turn",
      user_id: user,
      agent_id: `agent-${span}`,
      thread_id: `thread-${span}`,
    });
  const hers = turn(`root-${mark}`, `${mark}1`, gone);
  const shared = [turn("shared", `${mark}2`, gone), turn("shared", "theirs", "other")];
  await store.append({ batchId: "b", receivedAt: before(3), events: [hers, ...shared] });
  for (const root of [`root-${mark}`, "shared"]) {
    const { events } = await store.root(allTenants, root, { limit: 10 });
    await store.ledger.putTurns(
      recordsOf(events, { epoch: 0, rows: events.length, settled: true }),
    );
  }
  expect(await turnsOf(store)).toHaveLength(3);
  expect(await leftovers(dataDir)).not.toEqual([]);
  const report = await deleteUserEvidence(store, { userId: gone, dryRun: false });
  expect(report).toMatchObject({ deleted: 2, complete: true, unreached: [] });
  expect(await turnsOf(store)).toEqual([["shared", { epoch: 1, rows: 1, settled: false }]]);
  const standing = await store.standing([`root-${mark}`, "shared"]);
  expect(Object.fromEntries(standing)).toEqual({
    [`root-${mark}`]: { rows: 0, epoch: 1 },
    shared: { rows: 1, epoch: 1 },
  });
  expect(await leftovers(dataDir)).toEqual([]);
});
