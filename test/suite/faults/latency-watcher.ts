/**
 * @module Watcher: how long an address takes to answer, measured from a thread of its own, so that
 * what the caller does meanwhile is not measured.
 */
import { Worker } from "node:worker_threads";

/** Milliseconds. */
export interface Latency {
  readonly count: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Milliseconds that answers took beyond 50 each, in all: how long no request was answered. */
  readonly stalled: number;
}

const program = `
const { get, Agent } = require("node:http");
const { parentPort, workerData } = require("node:worker_threads");
const agent = new Agent({ keepAlive: true });
const times = [];
let failed = 0;
let stopped = false;
const ask = () => new Promise((resolve) => {
  const started = performance.now();
  const request = get(workerData.url, { agent, headers: workerData.headers }, (answer) => {
    answer.resume();
    answer.on("end", () => {
      if (answer.statusCode !== 200) failed += 1;
      times.push(performance.now() - started);
      resolve();
    });
  });
  request.on("error", () => { failed += 1; times.push(performance.now() - started); resolve(); });
});
parentPort.on("message", () => { stopped = true; });
(async () => {
  parentPort.postMessage("begun");
  while (!stopped) {
    await ask();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  parentPort.postMessage({ times, failed });
  process.exit(0);
})();
`;

/** Begins to send requests; `stop` returns what was measured. */
export async function watchLatency(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ stop(): Promise<Latency> }> {
  const worker = new Worker(program, { eval: true, workerData: { url, headers } });
  await new Promise((resolve) => worker.once("message", resolve));
  return {
    async stop() {
      const stated = new Promise<{ times: number[]; failed: number }>((resolve) =>
        worker.once("message", resolve),
      );
      worker.postMessage("stop");
      const { times, failed } = await stated;
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number): number =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      const stalled = times.reduce((sum, time) => sum + Math.max(0, time - 50), 0);
      const max = sorted.at(-1) ?? 0;
      return { count: sorted.length, failed, p50: at(0.5), p99: at(0.99), max, stalled };
    },
  };
}
