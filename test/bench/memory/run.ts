/**
 * @module Memory bench: resident memory that requests take which are small on the wire and large
 * behind it. A collector in its own process is attacked; its memory is read every 20 ms.
 * `npm run build && node -C @turnproof/source test/bench/memory/run.ts [filesystem [seconds]]`.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { turnsBody } from "../../campaigns/soak-turns.ts";
import { startCollector } from "../../suite/faults/collector-child.ts";
import { oneTrace, oneTraceHeaders } from "../../suite/faults/one-trace.ts";

const backend = process.argv[2] ?? "clickhouse";
const spans = 45_000;
const dataDir = await mkdtemp(join(tmpdir(), "turnproof-memory-"));
const collector = await startCollector(dataDir, { TURNPROOF_BACKEND: backend });
const rootOf = (at: number): string => String(at).padStart(32, "5");

/** Anonymous memory of the collector in MB: pages of files are the system's to reclaim. */
function residentMegabytes(): number {
  const status = readFileSync(`/proc/${collector.process.pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

async function peakDuring(work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, residentMegabytes())), 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

const send = async (root: string, count: number): Promise<number> => {
  const body = oneTrace(root, count);
  const answer = await fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    headers: oneTraceHeaders,
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
};

const get = async (path: string): Promise<number> => {
  const answer = await fetch(`${collector.url}${path}`, { headers: { accept: "text/html" } });
  await answer.arrayBuffer();
  return answer.status;
};

/** Waits until the trace has judged turns. A read that is refused is sent again. */
async function judged(root: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${collector.url}/traces/turns.json?q=${root}&limit=1`);
    const { items = [] } = (await answer.json()) as { items?: { verdict?: string | null }[] };
    if (typeof items[0]?.verdict === "string") return;
    await sleep(500);
  }
}

/** Sends bodies of 5,000 spans at once, and waits for those that are accepted. */
async function bodiesAtOnce(count: number): Promise<void> {
  const roots = Array.from({ length: count }, (_, at) => rootOf(at + 10));
  const statuses = await Promise.all(roots.map((root) => send(root, 5_000)));
  const accepted = roots.filter((_, at) => statuses[at] === 200);
  process.stdout.write(`${accepted.length} of ${count} bodies accepted\n`);
  for (const root of accepted) await judged(root);
}

/** So long under load, 2,000 spans a second with readers: caches and heaps have their size then. */
async function ordinaryLoad(seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1_000;
  const paths = ["/traces", "/agents/support-desk", "/threads", "/traces/health", "/traces/cost"];
  for (let round = 0; Date.now() < until; round++) {
    const next = sleep(500);
    await fetch(`${collector.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/x-protobuf" },
      body: turnsBody(round * 1_000, 1_000),
    }).then((answer) => answer.arrayBuffer());
    if (round % 4 === 0) void get(paths[(round / 4) % paths.length] ?? "").catch(() => {});
    await next;
  }
}

try {
  await ordinaryLoad(Number(process.argv[3] ?? 120));
  await sleep(15_000);
  const base = residentMegabytes();
  const row = (name: string, peak: number): void => {
    const over = (peak - base).toFixed(0);
    process.stdout.write(`${name.padEnd(44)} peak ${peak.toFixed(0)} MB, over base ${over} MB\n`);
  };
  process.stdout.write(
    `${backend}, load ${loadavg()[0]?.toFixed(1)}, base ${base.toFixed(0)} MB\n`,
  );
  row("48 bodies of 5,000 spans at once, until judged", await peakDuring(() => bodiesAtOnce(48)));
  await sleep(20_000);
  row("at rest", residentMegabytes());
  row(
    `1 body of ${spans} spans, until judged`,
    await peakDuring(async () => {
      await send(rootOf(1), spans);
      await judged(rootOf(1));
    }),
  );
  await sleep(20_000);
  row("at rest", residentMegabytes());
  row("1 page of it", await peakDuring(() => get(`/traces/${rootOf(1)}`)));
  await sleep(20_000);
  row(
    "3 pages of it at once, until judged",
    await peakDuring(() =>
      Promise.all([1, 2, 3].map(() => get(`/traces/${rootOf(1)}?a=${Math.random()}`))),
    ),
  );
  await sleep(20_000);
  row("at rest", residentMegabytes());
} finally {
  await collector.stop();
  await rm(dataDir, { recursive: true, force: true });
}
