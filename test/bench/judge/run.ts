/**
 * @module Judge bench: CPU of the whole collector, engine included, from the socket to the verdict,
 * and of a start over turns that are judged.
 * `npm run build && node -C @turnproof/source test/bench/judge/run.ts [spans] [spans a second]
 * [spans a request] [--checkout DIR]`; without a rate all spans are sent at once. Eight spans make
 * a turn. Of another checkout that is built, the turns are not counted: its tables may differ.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import { clickhouse } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";

import { startCollector } from "../../suite/faults/collector-child.ts";
import type { CollectorChild } from "../../suite/faults/collector-child.ts";
import { batches, spansPerBatch } from "../receive/payloads.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { checkout: { type: "string" } },
});
const spansWanted = Number(positionals[0] ?? 60_000);
const perSecond = Number(positionals[1] ?? 0);
const perRequest = Number(positionals[2] ?? spansPerBatch);
const launcher =
  values.checkout === undefined ? undefined : join(values.checkout, "collector/bin/turnproof.js");
const clients = 8;
const ticksPerSecond = 100;

/** Seconds of CPU that the process used, all of its threads. */
function cpuSeconds({ process: child }: CollectorChild): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Peak of resident memory in MiB. */
function peakMebibytes({ process: child }: CollectorChild): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "latin1");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Waits until it does next to nothing for as long as a root needs to be quiet; CPU by then. */
async function untilQuiet(collector: CollectorChild, atLeastMs: number): Promise<number> {
  const until = performance.now() + atLeastMs;
  for (let still = 0; ;) {
    const before = cpuSeconds(collector);
    await sleep(1_000);
    const used = cpuSeconds(collector) - before;
    still = used < 0.15 && performance.now() > until ? still + 1 : 0;
    if (still === 4) return cpuSeconds(collector);
  }
}

async function send(collector: CollectorChild, bodies: readonly Uint8Array[]): Promise<void> {
  let next = 0;
  const started = performance.now();
  const client = async (): Promise<void> => {
    for (let at = next++; at < bodies.length; at = next++) {
      const due = perSecond === 0 ? 0 : started + (at * perRequest * 1_000) / perSecond;
      if (due > performance.now()) await sleep(due - performance.now());
      const { status } = await fetch(`${collector.url}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/x-protobuf" },
        body: Uint8Array.from(bodies[at] as Uint8Array),
      });
      if (status !== 200) throw new Error(`answer ${status}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Turns in the ledger, and how many of them are judged. */
async function countTurns(dataDir: string): Promise<readonly [number, number]> {
  const store = await clickhouse({ connection: { dataDir } });
  const unjudged = { text: "verdict", is: "unjudged" } as const;
  const all = await store.ledger.countTurns({ scope: allTenants, where: [] });
  const left = await store.ledger.countTurns({ scope: allTenants, where: [unjudged] });
  await store.close();
  return [all, all - left];
}

const start = (dataDir: string): Promise<CollectorChild> =>
  startCollector(dataDir, {}, undefined, undefined, launcher);

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const dataDir = await mkdtemp(join(tmpdir(), "turnproof-judge-"));
try {
  print(`load ${loadavg()[0]?.toFixed(1)}`);
  const { bodies } = batches(
    "own spans",
    Math.ceil(spansWanted / perRequest),
    false,
    "identity",
    0,
    perRequest,
  );
  const spans = bodies.length * perRequest;
  const collector = await start(dataDir);
  const idle = await untilQuiet(collector, 0);
  const started = performance.now();
  await send(collector, bodies);
  const sentMs = performance.now() - started;
  const used = (await untilQuiet(collector, 8_000)) - idle;
  print(
    `${spans} spans sent in ${(sentMs / 1_000).toFixed(1)} s: ` +
      `${((used * 1e6) / spans).toFixed(0)} µs CPU a span from socket to verdict, ` +
      `peak ${peakMebibytes(collector).toFixed(0)} MiB`,
  );
  await collector.stop();
  if (launcher === undefined) {
    const [turns, judged] = await countTurns(join(dataDir, "clickhouse"));
    print(`${turns} turns, ${judged} judged`);
  }
  const again = await start(dataDir);
  print(
    `started again: ${(await untilQuiet(again, 5_000)).toFixed(2)} s CPU (empty: ${idle.toFixed(2)})`,
  );
  await again.stop();
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
