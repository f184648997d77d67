/**
 * @module Old ClickHouse: a store that the last version before bundles wrote answers the same after
 * its events are copied, also when the copy was ended in the middle or right after an insert.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

import { resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore, Keyset } from "@turnproof/store";
import { clickhouseAdmin, defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants, sampleTurn } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";
import { makeTables } from "../../../packages/store/src/clickhouse/migration.ts";
import {
  checkOldEvents,
  copyOldEvents,
} from "../../../packages/store/src/clickhouse/old-events.ts";
import { wayBack } from "./way-back.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const fixture = (name: string): URL =>
  new URL(`../../fixtures/clickhouse-008/${name}`, import.meta.url);

const expected = JSON.parse(gunzipSync(await readFile(fixture("expected.json.gz"))).toString()) as {
  readonly events: readonly TurnEvent[];
  readonly batches: readonly (readonly [string, unknown])[];
};

/**
 * The events of the old store as they are resolved today: that version let untrusted evidence name
 * the turn of trusted evidence.
 */
const expectedEvents = resolveEvents(expected.events.map(asStated));

/**
 * The event without what was derived from its root; the untrusted one has what its receiver
 * derived.
 */
function asStated(whole: TurnEvent): TurnEvent {
  if (whole.ingest_trusted === false) return whole;
  const { identity_derived: derived, ...event } = whole;
  const stated = Object.entries(event).filter(
    ([name]) => derived === undefined || !(derived as readonly string[]).includes(name),
  );
  return Object.fromEntries(stated) as unknown as TurnEvent;
}

/** A copy of the old store. */
async function oldStore(): Promise<string> {
  const dataDir = await directories.make();
  await promisify(execFile)("tar", ["-xzf", fixture("store.tar.gz").pathname, "-C", dataDir]);
  return dataDir;
}

async function pages(store: EvidenceStore): Promise<(readonly TurnEvent[])[]> {
  const read: (readonly TurnEvent[])[] = [];
  for (let after: Keyset | undefined; ;) {
    const options = { limit: 500, ...(after === undefined ? {} : { after }) };
    const page = await store.page(allTenants, {}, options);
    expect(page.bounded).toBe(false);
    read.push(page.events);
    if (page.next === null) return read;
    after = page.next;
  }
}

/** The events of a page: that version let a clock that was ahead decide their order in it. */
function byId(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const idOf = ({ root_trace_id: root, event_id: id }: TurnEvent): string => `${root} ${id}`;
  return events.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

const answer = async (engine: Engine, sql: string): Promise<number> =>
  Number((await engine.query(`SELECT toFloat64(${sql}`)).columns.values().next().value?.[0]);

async function expectSame(dataDir: string): Promise<void> {
  await using store = await clickhouse({ connection: { dataDir } });
  let from = 0;
  for (const page of await pages(store)) {
    const same = expectedEvents.slice(from, (from += page.length));
    expect(byId(page)).toEqual(byId(same));
  }
  expect(from).toBe(expectedEvents.length);
  for (const [batchId, held] of expected.batches) {
    expect([batchId, await store.readBack(batchId, "")]).toEqual([batchId, held]);
  }
  expect((await store.check()).diagnostics).toBeUndefined();
  // The turns are the judge's to do.
  const turns = await store.ledger.listTurns(
    { scope: allTenants, where: [] },
    { order: { by: "ended_at" }, limit: 1_000 },
  );
  const roots = new Set(turns.records.map(({ row }) => row.root_trace_id));
  const listed = expected.events.filter((event) => event.event_kind !== "span");
  expect(roots).toEqual(new Set(listed.map((event) => event.root_trace_id)));
  for (const { version } of turns.records) expect(version.settled).toBe(false);
}

test("a small store is copied when it is opened", { timeout: 120_000 }, async () => {
  const dataDir = await oldStore();
  await expectSame(dataDir);
  await expectSame(dataDir);
});

test("a copy that was ended goes on and repeats nothing", { timeout: 120_000 }, async () => {
  const dataDir = await oldStore();
  const engine = await openEngine({ dataDir });
  const tables = { engine, cluster: undefined };
  const all = expected.events.length;
  const dry = await copyOldEvents(tables, {});
  expect(dry).toEqual({ dry_run: true, events: all, copied: 0, complete: false });
  // The dry run made and renamed nothing.
  expect(await answer(engine, "count()) AS n FROM events")).toBe(all);
  await makeTables(tables);
  expect(await copyOldEvents(tables, {})).toEqual(dry);
  expect(await answer(engine, "count()) AS n FROM bundles")).toBe(0);
  const end = new AbortController();
  const first = await copyOldEvents(tables, {
    dryRun: false,
    signal: end.signal,
    onProgress: () => end.abort(),
  });
  expect(first.complete).toBe(false);
  expect(first.copied).toBeGreaterThan(0);
  expect(await answer(engine, "sum(events)) AS n FROM bundles")).toBe(first.copied);
  // As if it had been killed between the insert and its note, long after the engine forgot tokens.
  await engine.command("TRUNCATE TABLE copied_slices");
  await engine.command(
    "ALTER TABLE bundles MODIFY SETTING non_replicated_deduplication_window = 0",
  );
  const seen: number[] = [];
  const rest = await copyOldEvents(tables, {
    dryRun: false,
    onProgress: (done, of) => seen.push(done / of),
  });
  expect(rest).toEqual({ dry_run: false, events: all, copied: all, complete: true });
  expect(seen.at(-1)).toBe(1);
  expect(await answer(engine, "sum(events)) AS n FROM bundles")).toBe(all);
  expect(await copyOldEvents(tables, { dryRun: false })).toEqual(rest);
  await engine.close();
  await expectSame(dataDir);
});

test("until it is copied, a large store says so", { timeout: 120_000 }, async () => {
  const dataDir = await oldStore();
  const large = await openEngine({ dataDir });
  await makeTables({ engine: large, cluster: undefined });
  // Fifty thousand copies are too many for an opening; their own words do not matter here.
  await large.command("INSERT INTO old_events SELECT e.* FROM old_events e, numbers(200) n");
  await large.close();
  {
    await using store = await clickhouse({ connection: { dataDir } });
    expect((await store.check()).diagnostics).toEqual(["migration_pending"]);
    const receivedAt = "2026-07-01T10:00:00.000000Z";
    await store.append({ batchId: "new", receivedAt, events: sampleTurn("new", {}) });
    const page = await store.page(allTenants, {}, { limit: 10 });
    expect([page.events.length, page.bounded]).toEqual([3, true]);
    const erase = deleteUserEvidence(store, { userId: "u", dryRun: false });
    await expect(erase).rejects.toMatchObject({ code: "migration_pending" });
  }
  await using admin = await clickhouseAdmin({ connection: { dataDir } });
  await expect(admin.dropOld()).rejects.toMatchObject({ code: "migration_pending" });
  const retained = admin.evidence({
    policy: defaultRetention,
    now: "2026-07-02T00:00:00Z",
    dryRun: false,
  });
  await expect(retained).rejects.toMatchObject({ code: "migration_pending" });
});

test("old events are compared before they are dropped", { timeout: 120_000 }, async () => {
  const dataDir = await oldStore();
  await (await clickhouse({ connection: { dataDir } })).close();
  const engine = await openEngine({ dataDir });
  const root = (
    await engine.query("SELECT min(root_trace_id) FROM bundles WHERE events > 0")
  ).columns
    .values()
    .next().value?.[0];
  const lost = `root_trace_id = '${String(root)}'`;
  const held = await answer(engine, `count()) AS n FROM old_events WHERE ${lost}`);
  const events = await answer(engine, "count()) AS n FROM old_events");
  const same = { events, missing: 0, roots: 0, deleted: 0, complete: true };
  expect(await checkOldEvents({ engine, cluster: undefined })).toEqual(same);
  await engine.command(`ALTER TABLE bundles DELETE WHERE ${lost} SETTINGS mutations_sync = 2`);
  await engine.close();
  await using admin = await clickhouseAdmin({ connection: { dataDir } });
  expect(await admin.checkOld()).toEqual({ ...same, missing: held, roots: 1 });
  await expect(admin.dropOld()).rejects.toMatchObject({ code: "migration_differs" });
  expect(await admin.copyOld({})).toMatchObject({ events });
  await admin.close();
  await using store = await clickhouse({ connection: { dataDir } });
  const erase = deleteUserEvidence(store, { userId: "another", dryRun: false });
  await expect(erase).rejects.toMatchObject({ code: "migration_differs" });
});

test("the way back stands in the docs", { timeout: 120_000 }, async () => {
  const dataDir = await oldStore();
  const dump = async (): Promise<unknown> => {
    const engine = await openEngine({ dataDir });
    const { columns } = await engine.query(
      `SELECT name, engine FROM system.tables WHERE database = currentDatabase() ORDER BY name`,
    );
    const versions = await engine.query("SELECT DISTINCT version FROM migrations ORDER BY version");
    const held = await answer(engine, "count()) AS n FROM events");
    await engine.close();
    return [[...columns], [...versions.columns], held];
  };
  const before = await dump();
  await expectSame(dataDir);
  const engine = await openEngine({ dataDir });
  for (const statement of wayBack("clickhouse")) await engine.command(statement);
  await engine.close();
  expect(await dump()).toEqual(before);
  await expectSame(dataDir);
});

test("what was copied is dropped when that is asked for", { timeout: 120_000 }, async () => {
  const dataDir = await oldStore();
  await (await clickhouse({ connection: { dataDir } })).close();
  {
    await using admin = await clickhouseAdmin({ connection: { dataDir } });
    await admin.dropOld();
    expect(await admin.copyOld({})).toMatchObject({ events: 0, complete: true });
  }
  const engine = await openEngine({ dataDir });
  const old = ["old_events", "locate", "touched", "verdicts"].map((name) => `'${name}'`);
  const left = `count()) AS n FROM system.tables WHERE name IN (${old.join(", ")})`;
  expect(await answer(engine, left)).toBe(0);
  await engine.close();
  await expectSame(dataDir);
});
