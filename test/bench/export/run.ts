/**
 * @module Export bench: the files of an export against the JSON lines of pages, of the same events
 * in the same run: `npm run build && npx node -C @turnproof/source test/bench/export/run.ts
 * [events]`. The built collector answers both over embedded ClickHouse, and the built command reads
 * from it. Prints seconds, CPU seconds of the collector, and the ratio of each to the JSON lines.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse, recordStored } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";

import { receiptOf, stream } from "../store/generate.ts";

const wanted = Number(process.argv[2] ?? 62_800);
const command = new URL("../../../collector/bin/turnproof.js", import.meta.url).pathname;
const dataDir = await mkdtemp(join(tmpdir(), "turnproof-bench-"));
const token = "bench-q7KxZt4Wm9Rc2Yd8";

await fill();
const port = await freePort();
const env = {
  PATH: process.env["PATH"],
  TURNPROOF_BACKEND: "clickhouse",
  TURNPROOF_DATA_DIR: dataDir,
  TURNPROOF_UI_AUTH_TOKEN: token,
  TURNPROOF_URL: `http://127.0.0.1:${port}`,
  TURNPROOF_TOKEN: token,
  TURNPROOF_GRPC_PORT: "0",
};
const collector = spawn(process.execPath, [command, "ui", "--port", String(port)], {
  env,
  stdio: "ignore",
});
try {
  while (!(await isReady())) await wait(200);
  await untilJudged();
  const lines = await timed("JSON lines of pages", ["--store", "trace"]);
  for (const format of ["parquet", "arrow", "csv", "jsonl"]) {
    const out = join(dataDir, `out-${format}`);
    const took = await timed(format, ["--out", out, "--format", format]);
    print(format, lines, took);
  }
  const turns = ["--out", join(dataDir, "out-turns"), "--table", "turns"];
  print("turns as parquet", lines, await timed("turns as parquet", turns));
} finally {
  collector.kill();
  await new Promise((resolve) => collector.once("exit", resolve));
  await rm(dataDir, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const store = await clickhouse({ connection: { dataDir: join(dataDir, "clickhouse") } });
  const source = stream(7, Math.ceil(wanted / 11.5), 14);
  let batch: TurnEvent[] = [];
  let count = 0;
  const put = async (): Promise<void> => {
    const receivedAt = batch.at(-1)?.received_at ?? "";
    await store.append({ batchId: `bench ${count}`, receivedAt, events: batch });
    const roots = new Set(batch.flatMap(({ root_trace_id: root }) => root ?? []));
    await recordStored(store, allTenants, [...roots]);
    batch = [];
  };
  while (count < wanted) {
    const events = source.next();
    count += events.length;
    for (const event of events) batch.push({ ...event, received_at: receiptOf(events) });
    if (batch.length >= 1_000) await put();
  }
  await put();
  await store.close();
  console.log(`# ${count} events`);
}

/** Seconds of the wall, and of the collector's CPU. */
interface Took {
  readonly wall: number;
  readonly cpu: number;
}

async function timed(name: string, args: readonly string[]): Promise<Took> {
  const [started, cpu] = [performance.now(), await cpuSeconds()];
  const child = spawn(process.execPath, [command, "export", ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stated = "";
  child.stderr.on("data", (chunk: Buffer) => (stated += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  console.log(stated.trim());
  if (code !== 0) throw new Error(`${name}: exit code ${code}`);
  const took = { wall: (performance.now() - started) / 1_000, cpu: (await cpuSeconds()) - cpu };
  console.log(`${name}: ${took.wall.toFixed(2)} s, ${took.cpu.toFixed(2)} s of CPU`);
  return took;
}

function print(name: string, before: Took, now: Took): void {
  const [wall, cpu] = [before.wall / now.wall, before.cpu / now.cpu];
  console.log(`  ${name}: ${wall.toFixed(1)} × as fast, ${cpu.toFixed(1)} × less CPU`);
}

/** User and system time of the collector, in seconds. */
async function cpuSeconds(): Promise<number> {
  const text = await readFile(`/proc/${collector.pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Waits until the turns are judged, which uses CPU that an export would use. */
async function untilJudged(): Promise<void> {
  for (let still = 0; still < 4;) {
    const before = await cpuSeconds();
    await wait(1_000);
    still = (await cpuSeconds()) - before < 0.15 ? still + 1 : 0;
  }
}

async function isReady(): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}
