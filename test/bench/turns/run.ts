/**
 * @module Turns bench: the home over a large history, end to end through HTTP: the list, its page,
 * filters, and the overview that the histogram and the filter bar draw on, each as a median.
 * `node -C @turnproof/source test/bench/turns/run.ts DIRECTORY [events] [URL]`: DIRECTORY is a
 * collector's; `test/bench/store/run.ts events DIRECTORY/clickhouse` fills it, verdicts are added once. With a URL, a collector
 * that already runs on it is measured; otherwise the built one is started.
 */
import { spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { clickhouse } from "@turnproof/store";
import type { TurnVerdict } from "@turnproof/store";

import { receiptOf, stream } from "../store/generate.ts";

const dataDir = process.argv[2] ?? "";
const events = Number(process.argv[3] ?? 10_000_000);
const running = process.argv[4];
/** Where a collector of that directory keeps its evidence. */
const storeDir = join(dataDir, "clickhouse");
const turns = Math.ceil(events / 11.5);
const days = 14;
const rounds = 15;
const goalMs = 200;

if (dataDir === "") throw new RangeError("which directory?");
const source = stream(7, turns, days);
await judgeAll();
const known = JSON.parse(await readFile(join(storeDir, "bench-known.json"), "utf8")) as {
  readonly agent: string;
  readonly thread: string;
  readonly user: string;
};
const [url, stop] = running === undefined ? await start() : ([running, async () => {}] as const);
try {
  await measure(url);
} finally {
  await stop();
}

/** A verdict for every turn, as the judge would have left them. */
async function judgeAll(): Promise<void> {
  const mark = join(storeDir, "bench-judged");
  if (running !== undefined || (await stat(mark).catch(() => undefined)) !== undefined) return;
  const store = await clickhouse({ connection: { dataDir: storeDir } });
  let held: TurnVerdict[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const all = source.next();
    const own = all.find(({ event_kind }) => event_kind === "turn");
    if (own === undefined) continue;
    const failed = turn % 50 === 0;
    held.push({
      root_trace_id: own.root_trace_id ?? "",
      turn_id: own.span_id ?? "",
      agent_id: own.agent_id ?? "",
      thread_id: own.thread_id ?? "",
      ...(own.application_id === undefined ? {} : { application_id: own.application_id }),
      ...(own.user_id === undefined ? {} : { user_id: own.user_id }),
      verdict: failed ? "failed" : "unknown",
      finding_codes: failed ? ["delivery_unconfirmed"] : [],
      judged_at: receiptOf(all),
      as_of: receiptOf(all),
    });
    if (held.length < 50_000) continue;
    await store.putVerdicts(held);
    held = [];
  }
  await store.putVerdicts(held);
  await store.close();
  await writeFile(mark, "");
}

async function start(): Promise<readonly [string, () => Promise<void>]> {
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
    if (ready) return [address, end];
    await wait(100);
  }
  await end();
  throw new Error("the collector did not start");
}

async function measure(address: string): Promise<void> {
  const times = { start_time: "2026-05-10T00:00:00Z", end_time: "2026-05-11T00:00:00Z" };
  const cases: readonly (readonly [string, string, Record<string, string>])[] = [
    ["list", "/traces/turns.json", {}],
    ["page", "/traces", {}],
    ["list of 100", "/traces/turns.json", { limit: "100" }],
    ["list, one agent", "/traces/turns.json", { agent_id: known.agent }],
    ["page, one agent", "/traces", { agent_id: known.agent }],
    ["list, one thread", "/traces/turns.json", { thread_id: known.thread }],
    ["list, one tenant", "/traces/turns.json", { user_id: known.user }],
    ["list, errors", "/traces/turns.json", { status: "error" }],
    ["list, one day", "/traces/turns.json", times],
    ["list, failed of the page", "/traces/turns.json", { verdict: "failed" }],
    ["overview", "/traces/overview.json", {}],
    ["overview, one agent", "/traces/overview.json", { agent_id: known.agent }],
    ["overview, one day", "/traces/overview.json", times],
  ];
  for (const [name, path, query] of cases) {
    const target = `${address}${path}?${new URLSearchParams(query)}`;
    const taken: number[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      const answer = await fetch(target, { headers: { accept: "*/*" } });
      bytes = (await answer.arrayBuffer()).byteLength;
      taken.push(performance.now() - began);
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    }
    const sorted = taken.toSorted((a, b) => a - b);
    const p50 = sorted[Math.floor(rounds / 2)] ?? 0;
    // An overview is kept for a moment: only the first answer is a read.
    const first = `first ${(taken[0] ?? 0).toFixed(0)}`;
    const said = `p50 ${p50.toFixed(0)} ms, min ${(sorted[0] ?? 0).toFixed(0)}, ${first}`;
    console.log(`${p50 <= goalMs ? " " : "!"} ${name}: ${said}, ${(bytes / 1_000).toFixed(0)} kB`);
  }
}
