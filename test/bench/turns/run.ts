/**
 * @module Turns bench: the home over a large history, end to end through HTTP: the list, its page,
 * filters, and the overview that the histogram and the filter bar draw on, each as median and 95th
 * percentile, and the collector's CPU for each answer, which a busy machine blurs less.
 * `node -C @turnproof/source test/bench/turns/run.ts DIRECTORY [events] [OTHER | URL]`: DIRECTORY
 * is a collector's; `test/bench/store/run.ts events DIRECTORY/clickhouse` fills it, judged turns
 * are added once. The figures stay beside the data; with OTHER, a directory that was measured
 * before, each is given as a ratio to its own there. With a URL, a collector that already runs on
 * it is measured; otherwise the built one is started.
 */
import { spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { resolveEvents } from "@turnproof/evidence";
import { clickhouse, recordRoots } from "@turnproof/store";
import type { Judgement, WholeRoot } from "@turnproof/store";

import { receiptOf, stream } from "../store/generate.ts";
import { casesOf } from "./cases.ts";
import type { Case, Known } from "./cases.ts";

const dataDir = process.argv[2] ?? "";
const events = Number(process.argv[3] ?? 10_000_000);
const third = process.argv[4];
const running = third?.startsWith("http") === true ? third : undefined;
/** Milliseconds of an answer: median and 95th percentile of the wall, mean of the CPU. */
interface Figures {
  readonly p50: number;
  readonly p95: number;
  readonly cpu?: number;
}
/** Where a collector of that directory keeps its evidence. */
const storeDir = join(dataDir, "clickhouse");
const turns = Math.ceil(events / 11.5);
const days = 14;
const rounds = 15;
const goalMs = 200;
const figuresFile = "bench-turns.json";

if (dataDir === "") throw new RangeError("which directory?");
const source = stream(7, turns, days);
await judgeAll();
const known = JSON.parse(await readFile(join(storeDir, "bench-known.json"), "utf8")) as Known;
const { url, pid, stop } = running === undefined ? await start() : already(running);
try {
  const other = third === undefined || running !== undefined ? "{}" : await figuresOf(third);
  const before = JSON.parse(other) as Record<string, Figures>;
  await writeFile(join(storeDir, figuresFile), JSON.stringify(await measure(url, before)));
} finally {
  await stop();
}

function figuresOf(directory: string): Promise<string> {
  return readFile(join(directory, "clickhouse", figuresFile), "utf8");
}

/** Every turn, settled, as the judge would have left it. */
async function judgeAll(): Promise<void> {
  const mark = join(storeDir, "bench-judged");
  if (running !== undefined || (await stat(mark).catch(() => undefined)) !== undefined) return;
  const store = await clickhouse({ connection: { dataDir: storeDir } });
  const write = async (roots: readonly WholeRoot[]): Promise<void> => {
    const failed = new Set(roots.filter((_, i) => i % 50 === 0));
    await recordRoots(store.ledger, roots, (root) => () => judgement(root, failed.has(root)));
  };
  let roots: WholeRoot[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const all = source.next();
    const received_at = receiptOf(all);
    const root = all[0]?.root_trace_id ?? "";
    // Only the turn has an owner; the others inherit it, as in every read.
    const events = resolveEvents(all.map((event) => ({ ...event, received_at })));
    // Nothing stands under a root of a store that was just filled.
    roots.push({ root, events, rows: events.length, epoch: 0, held: [] });
    if (roots.length < 5_000) continue;
    await write(roots);
    roots = [];
  }
  await write(roots);
  await store.close();
  await writeFile(mark, "");
}

function judgement({ events }: WholeRoot, failed: boolean): Judgement {
  const at = events[0]?.received_at ?? "";
  return {
    verdict: failed ? "failed" : "unknown",
    finding_codes: failed ? ["delivery_unconfirmed"] : [],
    insight_codes: [],
    verdict_reasons: [],
    judged_at: at,
    as_of: at,
  };
}

/** A collector that is measured; its process where it is ours. */
interface Collector {
  readonly url: string;
  readonly pid?: number | undefined;
  readonly stop: () => Promise<void>;
}

function already(address: string): Collector {
  return { url: address, stop: async () => {} };
}

async function start(): Promise<Collector> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const bin = join(import.meta.dirname, "../../../collector/bin/turnproof.js");
  const env = { ...process.env, TURNPROOF_DATA_DIR: dataDir, TURNPROOF_PORT: String(port) };
  const child = spawn(process.execPath, [bin], { env, stdio: "ignore" });
  const address = `http://127.0.0.1:${port}`;
  const end = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
  for (let tries = 0; tries < 300; tries += 1) {
    const ready = await fetch(`${address}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return { url: address, pid: child.pid, stop: end };
    await wait(100);
  }
  await end();
  throw new Error("the collector did not start");
}

async function measure(
  address: string,
  before: Readonly<Record<string, Figures>>,
): Promise<Record<string, Figures>> {
  const newest = await fetch(`${address}/traces/turns.json`);
  const { next_cursor: cursor } = (await newest.json()) as { readonly next_cursor: string };
  const measured: Record<string, Figures> = {};
  for (const one of casesOf(known, cursor)) {
    const { figures, bytes } = await request(address, one);
    measured[one.name] = figures;
    const { p50, p95, cpu } = figures;
    const wall = `p50 ${p50.toFixed(0)} ms${ratio(p50, before[one.name]?.p50)}, p95 ${p95.toFixed(0)}`;
    const spent =
      cpu === undefined ? "unknown" : `${cpu.toFixed(0)}${ratio(cpu, before[one.name]?.cpu)}`;
    const met = p50 <= goalMs ? " " : "!";
    console.log(`${met} ${one.name}: ${wall}, CPU ${spent}, ${(bytes / 1_000).toFixed(0)} kB`);
  }
  return measured;
}

function ratio(figure: number, before: number | undefined): string {
  return before === undefined || before === 0 ? "" : ` (× ${(figure / before).toFixed(1)})`;
}

/** Sends requests in rounds; the first warms what every later one has. */
async function request(
  address: string,
  { name, path, query }: Case,
): Promise<{ readonly figures: Figures; readonly bytes: number }> {
  const taken: number[] = [];
  let bytes = 0;
  let cpu: number | undefined;
  for (let round = 0; round <= rounds; round += 1) {
    if (round === 1) cpu = await cpuMs();
    const began = performance.now();
    const answer = await fetch(`${address}${path}?${new URLSearchParams(query(round))}`, {
      headers: { accept: path === "/traces" ? "text/html" : "*/*" },
    });
    bytes = (await answer.arrayBuffer()).byteLength;
    if (round > 0) taken.push(performance.now() - began);
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
  }
  const spent = cpu === undefined ? undefined : ((await cpuMs()) ?? 0) - cpu;
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.ceil(rounds * part) - 1] ?? 0;
  const figures = { p50: at(0.5), p95: at(0.95) };
  return { figures: spent === undefined ? figures : { ...figures, cpu: spent / rounds }, bytes };
}

/** CPU of the collector so far, where the system has it: user and system, in ticks of 10 ms. */
async function cpuMs(): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The name of the process may hold spaces; what follows it does not.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * 10;
}
