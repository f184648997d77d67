/**
 * @module Store bench: inserts a seeded history into embedded ClickHouse, measures the rate against
 * the engine's own ceiling for the same rows, the bytes per event, and the
 * medians of the reads. `node -C @turnproof/source test/bench/store/run.ts [events] [dir]`; a
 * directory that was filled by an earlier run is only read.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@clickhouse/client";
import type { ClickHouseClientConfigOptions } from "@clickhouse/client";
import type { EventQuery, TurnEvent } from "@turnproof/evidence";
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { createChdbConnection } from "chdb/connection";

import { receiptOf, stream } from "./generate.ts";

const wanted = Number(process.argv[2] ?? 1_000_000);
const batchRows = 50_000;
const eventsPerTurn = 11.5;
const days = 14;

const dataDir = process.argv[3] ?? (await mkdtemp(join(tmpdir(), "turnproof-bench-")));
const client = createClient({
  connection: createChdbConnection({
    path: join(dataDir, "clickhouse"),
  }) as unknown as NonNullable<ClickHouseClientConfigOptions["connection"]>,
});
const store = await clickhouse({ connection: { dataDir } });
const source = stream(7, Math.ceil(wanted / eventsPerTurn), days);

type Known = typeof source.known;
/** What the reads look for, left beside the data by the run that filled it. */
const knownFile = join(dataDir, "bench-known.json");

console.log(`# ${wanted} events, batches of ${batchRows}`);
const before = await readFile(knownFile, "utf8").catch(() => undefined);
if (before === undefined) {
  const inserted = await fill(store);
  await ceiling(inserted);
  await sizes(inserted);
}
await reads(store, before === undefined ? source.known : (JSON.parse(before) as Known));
await store.close();
await client.close();
if (process.argv[3] === undefined) await rm(dataDir, { recursive: true, force: true });

/** Fills the store and returns how fast the store's own part of it was. */
async function fill(into: EvidenceStore): Promise<number> {
  let rows = 0;
  let spentMs = 0;
  let cpuMs = 0;
  let batch: TurnEvent[] = [];
  let batches = 0;
  const put = async (): Promise<void> => {
    const receivedAt = batch.at(-1)?.received_at ?? "";
    const started = performance.now();
    const cpu = process.cpuUsage();
    await into.append({ batchId: `bench ${batches}`, receivedAt, events: batch });
    spentMs += performance.now() - started;
    cpuMs += cpuSince(cpu);
    rows += batch.length;
    batches += 1;
    await writeFile(knownFile, JSON.stringify(source.known));
    batch = [];
    if (batches % 40 === 0) console.log(`  ${rows} rows, ${rate(rows, spentMs)}`);
  };
  while (rows + batch.length < wanted) {
    const events = source.next();
    const received_at = receiptOf(events);
    for (const event of events) batch.push({ ...event, received_at });
    if (batch.length >= batchRows) await put();
  }
  if (batch.length > 0) await put();
  console.log(`insert: ${rate(rows, spentMs)}, ${rate(rows, cpuMs)} of CPU, without generation`);
  return rows;
}

/** The engine alone: the same rows from table to table, all columns already typed and in memory. */
async function ceiling(events: number): Promise<void> {
  await client.command({ query: "CREATE TABLE ceiling AS bundles" });
  const started = performance.now();
  const cpu = process.cpuUsage();
  await client.command({
    query: `INSERT INTO ceiling SELECT * FROM bundles
      SETTINGS max_threads = 1, max_insert_threads = 1, max_block_size = 5000`,
  });
  const wall = rate(events, performance.now() - started);
  console.log(`engine, table to table: ${wall}, ${rate(events, cpuSince(cpu))} of CPU`);
  await client.command({ query: "DROP TABLE ceiling" });
}

async function sizes(rows: number): Promise<void> {
  await client.command({ query: "OPTIMIZE TABLE bundles FINAL" });
  const tables = await rowsOf(
    `SELECT table, sum(bytes_on_disk) AS bytes, sum(rows) AS rows, count() AS parts
     FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table ORDER BY bytes DESC`,
  );
  let total = 0;
  for (const { table, bytes, parts, rows: held } of tables) {
    total += Number(bytes);
    const per = (Number(bytes) / rows).toFixed(2);
    console.log(
      `bytes/event ${String(table)}: ${per} (${String(held)} rows, ${String(parts)} parts)`,
    );
  }
  console.log(`bytes/event total: ${(total / rows).toFixed(2)}`);
}

async function reads(from: EvidenceStore, known: Known): Promise<void> {
  const page = (query: EventQuery) => () => from.page(allTenants, query, { limit: 250 });
  const agentThread = { agent_id: known.agent, thread_id: known.thread };
  const rare: EventQuery = { tool_name: "tool_23", status: "error", agent_id: "agent-39" };
  const cases: Record<string, () => Promise<{ readonly events: readonly unknown[] }>> = {
    "newest page": page({}),
    "by root": () => from.root(allTenants, known.root, { limit: 1000 }),
    "agent + thread": page(agentThread),
    "common filter (kind)": page({ event_kind: "tool_call" }),
    "common filter (agent)": page({ agent_id: known.agent }),
    "by user": page({ user_id: known.user }),
    "by reference": page({ resource_ref: known.ref }),
    "find reference": () => from.find(allTenants, known.ref, {}, { limit: 250 }),
    "rare three-way": page(rare),
    "ten minutes, middle": page({
      start_time: "2026-05-11T00:00:00Z",
      end_time: "2026-05-11T00:10:00Z",
    }),
    "tenant page": () => from.page({ tenant: known.user }, {}, { limit: 250 }),
  };
  for (const [name, run] of Object.entries(cases)) {
    const times: number[] = [];
    let found = 0;
    const cpu = process.cpuUsage();
    for (let i = 0; i < 15; i += 1) {
      const started = performance.now();
      found = (await run()).events.length;
      times.push(performance.now() - started);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const cpuMs = (cpuSince(cpu) / 15).toFixed(1);
    const p50 = (sorted[7] ?? 0).toFixed(1);
    console.log(
      `p50 ${name}: ${p50} ms (min ${(sorted[0] ?? 0).toFixed(1)}, ${cpuMs} of CPU, ${found} events)`,
    );
  }
}

async function rowsOf(query: string): Promise<Record<string, unknown>[]> {
  const result = await client.query({ query, format: "JSONEachRow" });
  return result.json();
}

/** Milliseconds of CPU of this process: what a shared machine does not blur. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function rate(rows: number, ms: number): string {
  return `${Math.round((rows / ms) * 1000).toLocaleString("en")} rows/s`;
}
