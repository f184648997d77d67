/**
 * @module Stall bench: what one request costs the others. A collector in its own process is
 * attacked with requests that are small on the wire and large behind it, while another thread
 * requests `/healthz` every few milliseconds.
 * `npm run build && node -C @turnproof/source test/bench/stall/run.ts`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { startCollector } from "../../suite/faults/collector-child.ts";
import { watchLatency } from "../../suite/faults/latency-watcher.ts";
import { oneTrace, oneTraceHeaders } from "../../suite/faults/one-trace.ts";

/** How many spans the one trace has, by default the most that one request may bring, nearly. */
const spans = Number(process.argv[2] ?? 45_000);
const dataDir = await mkdtemp(join(tmpdir(), "turnproof-stall-"));
const collector = await startCollector(dataDir);
const root = "5".padStart(32, "0");

const at = async <T>(name: string, attack: () => Promise<T>): Promise<void> => {
  const watch = await watchLatency(`${collector.url}/healthz`);
  const started = performance.now();
  const stated = await attack();
  const took = performance.now() - started;
  const { p50, p99, max, count } = await watch.stop();
  const ms = (value: number): string => value.toFixed(1).padStart(8);
  process.stdout.write(
    `${name.padEnd(34)} took ${ms(took)} ms  healthz p50 ${ms(p50)} p99 ${ms(p99)} max ${ms(max)} n ${count}  ${String(stated)}\n`,
  );
};

try {
  process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
  await at("nothing", () => sleep(3_000));
  const body = oneTrace(root, spans);
  await at(`POST ${spans} spans, ${(body.length / 1024).toFixed(0)} kB`, async () => {
    const answer = await fetch(`${collector.url}/v1/traces`, {
      method: "POST",
      headers: oneTraceHeaders,
      body,
    });
    return answer.status;
  });
  await at("stored and judged", async () => {
    for (;;) {
      const list = (await (await fetch(`${collector.url}/traces/turns.json`)).json()) as {
        items: { verdict?: unknown }[];
      };
      if (list.items[0]?.verdict !== undefined && list.items[0].verdict !== null) return "judged";
      await sleep(500);
    }
  });
  for (const path of [
    `/traces/${root}`,
    `/traces/${root}.json`,
    `/traces/${root}.json?form=columns`,
    "/traces",
    "/traces/turns.json",
    "/traces/overview.json",
    "/traces/facets.json",
    "/traces/trend.json",
    "/traces/differences.json?agent_id=a",
    "/agents",
    "/threads",
    "/agents/a",
    "/threads/t",
    "/traces/health",
    "/traces/health.json",
    "/traces/events.json?limit=1000",
    `/traces/find?id=${root}`,
    `/traces/reconcile.json?agent_id=a&root_trace_id=${root}`,
    `/traces/reconcile?agent_id=a&root_trace_id=${root}`,
    `/traces/reconcile.jws?agent_id=a&root_trace_id=${root}`,
    `/traces/analysis.json?agent_id=a`,
    `/traces/compare?agent_id=a&baseline_root=${root}&candidate_root=${root}`,
    `/traces/compare.json?agent_id=a&baseline_root=${root}&candidate_root=${root}`,
    `/traces/replay-plan.json?agent_id=a&root_trace_id=${root}`,
  ]) {
    await at(path.slice(0, 34), async () => {
      const answers = await Promise.all(
        [1, 2].map(async () => {
          const answer = await fetch(`${collector.url}${path}`, {
            headers: {
              "accept-encoding": "br",
              accept: path.includes(".json") ? "*/*" : "text/html",
            },
          });
          return [answer.status, (await answer.arrayBuffer()).byteLength].join(" ");
        }),
      );
      return answers[0];
    });
  }
} finally {
  await collector.stop();
  await rm(dataDir, { recursive: true, force: true });
}
