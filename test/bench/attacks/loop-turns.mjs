/**
 * @module Loop turns: a preload of a measured process. It answers each connection to the socket in
 * `TURNPROOF_BENCH_TURNS` with the longest turns of the main thread's event loop since the last
 * one: by the clock, by the thread's CPU, and of the garbage collection.
 */
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const path = process.env["TURNPROOF_BENCH_TURNS"];
if (isMainThread && path !== undefined) {
  let longest = { clock: 0, cpu: 0, gc: 0 };
  const cpuOf = () => {
    const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
    return (user + system) / 1_000;
  };
  let [at, cpu] = [performance.now(), cpuOf()];
  // A timer runs once in a turn, so what is between two of them is one turn, or more short ones.
  setInterval(() => {
    const [now, used] = [performance.now(), cpuOf()];
    longest.clock = Math.max(longest.clock, now - at);
    longest.cpu = Math.max(longest.cpu, used - cpu);
    [at, cpu] = [now, used];
  }, 1).unref();
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest.gc = Math.max(longest.gc, duration);
  }).observe({ entryTypes: ["gc"] });
  rmSync(path, { force: true });
  createServer((socket) => {
    socket.end(JSON.stringify(longest));
    longest = { clock: 0, cpu: 0, gc: 0 };
  })
    .listen(path)
    .unref();
}
