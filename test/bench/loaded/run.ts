/**
 * @module Loaded bench: how long reads take while 3,000 spans arrive each second, against the same
 * reads of the same collector at rest. `npm run build && node -C @turnproof/source
 * test/bench/loaded/run.ts [clickhouse | filesystem] [seconds] [spans a second]`. The bodies are
 * made before the measurement; their sender shares the machine with the collector.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { turnsBody } from "../../campaigns/soak-turns.ts";
import { startCollector } from "../../suite/faults/collector-child.ts";

const backend = process.argv[2] ?? "clickhouse";
const seconds = Number(process.argv[3] ?? 30);
const rate = Number(process.argv[4] ?? 3_000);
const bodySpans = 500;
/** Spans that are stored and judged before the first read is measured. */
const storedSpans = 80_000;

const dataDir = await mkdtemp(join(tmpdir(), "turnproof-loaded-"));
const collector = await startCollector(dataDir, { TURNPROOF_BACKEND: backend });
const rootOf = (turn: number): string => (turn + 1).toString(16).padStart(32, "0");

/** Reads by name; the turn changes, so that no answer is one that was made before. */
const reads: Readonly<Record<string, (at: number) => string>> = {
  "newest 100 turns": () => "/traces/turns.json?limit=100",
  "newest 250 events": () => "/traces/events.json?limit=250",
  "a root": (at) => `/traces/${rootOf(at % 9_000)}.json`,
  "an agent's thread": (at) =>
    `/traces/turns.json?agent_id=support-desk&thread_id=thread-${at % 2_000}`,
  "turns of a user": (at) => `/traces/turns.json?user_id=user-${at % 500}`,
  overview: () => "/traces/overview.json",
  "home as a page": () => "/traces",
};

const send = async (body: Uint8Array<ArrayBuffer>): Promise<void> => {
  const headers = { "content-type": "application/x-protobuf" };
  const answer = await fetch(`${collector.url}/v1/traces`, { method: "POST", headers, body });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`a body was answered ${answer.status}`);
};

/** Median and 95th percentile of each read, in milliseconds. */
type Times = Readonly<Record<string, readonly [p50: number, p95: number]>>;

async function measured(forMs: number): Promise<Times> {
  const times = Object.fromEntries(Object.keys(reads).map((name) => [name, [] as number[]]));
  const until = performance.now() + forMs;
  for (let at = 0; performance.now() < until; at++) {
    for (const [name, pathOf] of Object.entries(reads)) {
      const began = performance.now();
      const headers = { accept: name.endsWith("page") ? "text/html" : "application/json" };
      const answer = await fetch(`${collector.url}${pathOf(at * 7)}`, { headers });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${name} was answered ${answer.status}`);
      times[name]?.push(performance.now() - began);
      await sleep(20);
    }
  }
  const of = (list: readonly number[], share: number): number =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? Number.NaN;
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [name, [of(list, 0.5), of(list, 0.95)]]),
  );
}

/** Waits until the last turn before this span has a verdict. */
async function judged(spans: number): Promise<void> {
  for (;;) {
    const path = `/traces/turns.json?root_trace_id=${rootOf(spans / 8 - 1)}`;
    const answer = await fetch(`${collector.url}${path}`);
    const { items } = (await answer.json()) as { readonly items: readonly { verdict?: unknown }[] };
    if (items[0]?.verdict !== undefined && items[0].verdict !== null) return;
    await sleep(500);
  }
}

try {
  for (let first = 0; first < storedSpans; first += bodySpans) {
    await send(turnsBody(first, bodySpans));
  }
  await judged(storedSpans);
  await measured(5_000);
  const quiet = await measured(seconds * 1_000);
  const count = Math.ceil(((seconds + 5) * rate) / bodySpans);
  const bodies = Array.from({ length: count }, (_, at) =>
    turnsBody(storedSpans + at * bodySpans, bodySpans),
  );
  const began = performance.now();
  let sent = 0;
  const sending = (async () => {
    for (const [at, body] of bodies.entries()) {
      const waitMs = began + (at * bodySpans * 1_000) / rate - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      await send(body);
      sent += bodySpans;
    }
  })();
  await sleep(5_000);
  const loaded = await measured(seconds * 1_000);
  const reached = (sent / (performance.now() - began)) * 1_000;
  await sending;
  process.stdout.write(
    `${backend}, load ${loadavg()[0]?.toFixed(1)}, ${reached.toFixed(0)} spans a second\n`,
  );
  for (const [name, [p50, p95]] of Object.entries(loaded)) {
    const [before = Number.NaN, before95 = Number.NaN] = quiet[name] ?? [];
    const ratio = (p50 / before).toFixed(1);
    process.stdout.write(
      `${name.padEnd(20)} p50 ${before.toFixed(1)} -> ${p50.toFixed(1)} ms (${ratio} x), ` +
        `p95 ${before95.toFixed(1)} -> ${p95.toFixed(1)} ms\n`,
    );
  }
} finally {
  await collector.stop();
  await rm(dataDir, { recursive: true, force: true });
}
