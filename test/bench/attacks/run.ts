/**
 * @module Attacks bench: how long `/healthz` takes while a collector is attacked, measured from
 * another process, and the longest turns of the collector's event loop (a preload measures them).
 * One attack after another, with the time in which what it left is stored:
 * `npm run build && node -C @turnproof/source test/bench/attacks/run.ts [BACKEND [NAME…]]`;
 * a name selects the attacks that have it in theirs. `TURNPROOF_BENCH_SECONDS` is the length of
 * each.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { startCollector } from "../../suite/faults/collector-child.ts";
import { watchLatency } from "../../suite/faults/latency-watcher.ts";
import { oneTrace, oneTraceHeaders } from "../../suite/faults/one-trace.ts";
import { emptyParts, emptyRecords, justBelow } from "./bodies.ts";
import type { AttackBody } from "./bodies.ts";
import { bursts, callBursts, slowSenders } from "./sockets.ts";

const [backend = "filesystem", ...names] = process.argv.slice(2);
const attackMs = Number(process.env["TURNPROOF_BENCH_SECONDS"] ?? 8) * 1_000;
const spans = 45_000;
const folder = await mkdtemp(join(tmpdir(), "turnproof-attacks-"));
const turnsPath = join(folder, "turns.sock");
const preload = fileURLToPath(new URL("loop-turns.mjs", import.meta.url));
const collector = await startCollector(join(folder, "data"), {
  TURNPROOF_BACKEND: backend,
  TURNPROOF_GRPC_PORT: "0",
  TURNPROOF_BENCH_TURNS: turnsPath,
  NODE_OPTIONS: `--import=${preload} ${process.env["TURNPROOF_BENCH_NODE_OPTIONS"] ?? ""}`,
});
const { url } = collector;
const grpcPort = Number(/"listening_grpc","url":"http:[^"]+?:(\d+)/.exec(collector.output())?.[1]);

interface Turns {
  readonly clock: number;
  readonly cpu: number;
  readonly gc: number;
}

function longestTurns(): Promise<Turns> {
  return new Promise((resolve, reject) => {
    let text = "";
    connect(turnsPath)
      .setEncoding("utf8")
      .on("data", (chunk: string) => (text += chunk))
      .on("error", reject)
      .on("end", () => resolve(JSON.parse(text) as Turns));
  });
}

/** Milliseconds; how often each answer came is what an attack returns. */
const ms = (value: number): string => value.toFixed(1).padStart(7);

async function at(name: string, attack: () => Promise<string>): Promise<void> {
  if (names.length > 0 && !names.some((one) => name.includes(one))) return;
  await longestTurns();
  const watch = await watchLatency(`${url}/healthz`);
  const stated = await attack();
  const { p50, p99, max, count, failed } = await watch.stop();
  const { clock, cpu, gc } = await longestTurns();
  process.stdout.write(
    `${name.padEnd(32)} p50${ms(p50)} p99${ms(p99)} max${ms(max)}  n ${String(count).padStart(5)} failed ${failed}` +
      `  longest turn: clock${ms(clock)} cpu${ms(cpu)} gc${ms(gc)}  ${stated}\n`,
  );
}

/** Answers by status; `cut`: its time was up, `broken`: its connection was. */
type Answers = Map<number | "cut" | "broken", number>;

const stated = (answers: Answers): string =>
  [...answers].map(([status, count]) => `${count}×${status}`).join(" ");

async function send(
  answers: Answers,
  path: string,
  { msMax = 60_000, ...init }: RequestInit & { readonly msMax?: number } = {},
): Promise<void> {
  const signal = AbortSignal.timeout(msMax);
  const status: number | "cut" | "broken" = await fetch(`${url}${path}`, { ...init, signal })
    .then(async (answer) => {
      for await (const _chunk of answer.body ?? []);
      return answer.status;
    })
    .catch(() => (signal.aborted ? "cut" : "broken"));
  answers.set(status, (answers.get(status) ?? 0) + 1);
}

/** So many clients send one request after another until time is up. */
async function clients(
  count: number,
  requestOf: (round: number) => readonly [string, RequestInit?],
): Promise<string> {
  const answers: Answers = new Map();
  const until = performance.now() + attackMs;
  let round = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (;;) {
        const msMax = Math.ceil(until - performance.now());
        if (msMax <= 0) return;
        const [path, init] = requestOf(round++);
        await send(answers, path, { ...init, msMax: msMax + 2_000 });
      }
    }),
  );
  return stated(answers);
}

async function stored(): Promise<void> {
  const until = performance.now() + 15_000;
  while (performance.now() < until) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^turnproof_journal_pending_frames 0$/m.test(metrics)) return;
    await sleep(250);
  }
}

const posts = (count: number, bodies: readonly AttackBody[]): Promise<string> =>
  clients(count, (round) => {
    const { path, headers, body } = bodies[round % bodies.length] as AttackBody;
    return [path, { method: "POST", headers, body }];
  });

const rootOf = (index: number): string => (index + 1).toString(16).padStart(32, "0");
const html = { headers: { accept: "text/html", "accept-encoding": "br" } };

const pagesOf = (root: string): readonly (readonly [string, RequestInit?])[] => [
  [`/traces/${root}`, html],
  [`/traces/${root}.json`],
  [`/traces/${root}.json?form=columns`],
  ["/traces", html],
  ["/traces/turns.json"],
  ["/traces/events.json?limit=1000"],
  ["/traces/events", html],
  [`/traces/reconcile.json?agent_id=a&root_trace_id=${root}`],
  [`/traces/compare.json?agent_id=a&baseline_root=${root}&candidate_root=${rootOf(1)}`],
  ["/traces/health", html],
];

const call = (name: string, input: object): readonly [string, RequestInit] => [
  "/mcp",
  {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: input },
    }),
  },
];

const asked = (root: string): readonly (readonly [string, RequestInit?])[] => [
  call("why_did_this_turn_fail", { id: root }),
  ["/traces/export?table=events&format=jsonl"],
  call("compare_two_turns", { baseline: root, candidate: rootOf(1) }),
  ["/traces/export?table=events&format=parquet"],
  call("what_failed_since", {}),
  ["/traces/export?table=calls&format=csv"],
  call("check_a_contract", { id: root }),
  call("find_by_id", { id: root }),
  ["/traces/export?table=turns"],
];

const take = <T>(of: readonly T[], round: number): T => of[round % of.length] as T;

async function postTrace(index: number): Promise<string> {
  const answers: Answers = new Map();
  const body = oneTrace(rootOf(index), spans);
  await send(answers, "/v1/traces", { method: "POST", headers: oneTraceHeaders, body });
  return stated(answers);
}

try {
  process.stdout.write(`${backend}, load ${loadavg()[0]?.toFixed(1)}\n`);
  await postTrace(0);
  await stored();
  await at("nothing", () => sleep(3_000).then(() => ""));
  await at("a trace of 45,000 spans, its pages", async () => {
    const posted = await postTrace(1);
    const read = await clients(2, (round) => take(pagesOf(rootOf(1)), round));
    await stored();
    return `${posted}; ${read}`;
  });
  await at("four such traces at once", async () => {
    const posted = await Promise.all([2, 3, 4, 5].map(postTrace));
    await stored();
    return posted.join(" ");
  });
  await at("bodies of 20 M empty events", () => posts(4, emptyParts()));
  await at("logs and metrics that amplify", () => posts(4, emptyRecords()));
  await at("64 senders below the thread's size", () => posts(64, justBelow()));
  await at("1,000 slow HTTP sockets", () =>
    slowSenders("http", Number(new URL(url).port), 1_000, attackMs),
  );
  await sleep(1_000);
  await at("1,000 slow gRPC sockets", () => slowSenders("grpc", grpcPort, 1_000, attackMs));
  await sleep(1_000);
  await at("1,000 connections with ten requests each", () =>
    bursts(Number(new URL(url).port), 1_000, attackMs),
  );
  await sleep(1_000);
  await at("300 connections with a hundred calls each", () => callBursts(grpcPort, 300, attackMs));
  await sleep(1_000);
  await at("24 readers of large traces", () =>
    clients(24, (round) => take(pagesOf(rootOf(round % 4)), round)),
  );
  await at("MCP and exports of large traces", () =>
    clients(8, (round) => take(asked(rootOf(round % 4)), round)),
  );
} finally {
  await collector.stop();
  await rm(folder, { recursive: true, force: true });
}
