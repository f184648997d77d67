/**
 * @module Costly alerts bench: nine rules that read much of the ledger, over a week of turns and
 * the week before: `npx node -C @turnproof/source test/bench/alerts/costly.ts [turns]
 * [clickhouse|sqlite] [rounds] [directory]`. A directory that an earlier run filled is only read,
 * within hours: its turns end when it was filled. Prints how long one evaluation of each rule
 * takes, then the seconds from a written turn to its alarm while all nine rules are evaluated,
 * each with the evidence of an own agent. Exits with 1 where an alarm is missing or takes longer
 * than ten seconds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { clickhouse, filesystem } from "@turnproof/store";
import type { EvidenceStore, TurnRecord } from "@turnproof/store";

import { fileStorage } from "../../../collector/src/alerts/alert-storage.ts";
import { startAlerts } from "../../../collector/src/alerts/alerts.ts";
import { judgeRule } from "../../../collector/src/alerts/evaluate.ts";
import type { MeasureParts } from "../../../collector/src/alerts/rule-query.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { AlertRule } from "../../../collector/src/config/alert-rules.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import { openReceiver, secret } from "../../suite/collector/alert-receiver.ts";
import { allTenants } from "@turnproof/store/testing";
import { turnsBetween } from "../ledger/generate.ts";

const turns = Number(process.argv[2] ?? 1_000_000);
const engine = process.argv[3] ?? "clickhouse";
const rounds = Number(process.argv[4] ?? 10);
const evaluations = 5;
const goalMs = 10_000;
const perWrite = 5_000;
const [dayMs, weekMs] = [86_400_000, 7 * 86_400_000];

/** Each reads a day or a week; an agent of the history breaks none of them. */
const rules = `
  - {name: has, measure: error_share, where: "has:tool -has:fallback",
     by: agent, window: 1d, above: 0.5}
  - {name: p95, measure: p95_ms, by: agent, window: 1d, above: 80000}
  - {name: p95-week, measure: p95_ms, by: agent, window: 1d, change: 100}
  - {name: cost, measure: cost_usd, by: agent, window: 1d, above: 100000}
  - {name: contract, measure: contract_share, contract: order, by: agent, window: 1d, above: 0.9}
  - {name: insight, measure: insights, insight: repeated_fallback,
     by: agent, window: 1d, min_count: 5, change: 100}
  - {name: filter, measure: verdict_share, verdict: failed, where: "insight:repeated_fallback",
     by: agent, window: 7d, above: 0.9}
  - {name: error-week, measure: error_share, by: agent, window: 7d, change: 100}
  - {name: tokens, measure: p95_ms, where: "tokens:>10 -call:tool:none:error",
     by: agent, window: 7d, above: 80000}
`;

/** Anew for each part of the bench: what a rule holds of its last evaluation is by rule. */
const parsed = (): readonly AlertRule[] => parseAlertRules(`version: 1\nrules:${rules}`);
/** Names the agents of this run. */
const run = Date.now().toString(36);
const names = parsed().map(({ name }) => name);
const kept = process.argv[5];
const directory = kept ?? (await mkdtemp(join(tmpdir(), "turnproof-bench-alerts-")));
const store = await open();
const receiver = await openReceiver();
const parts = await partsOf();
try {
  await fill();
  await evaluate();
  await alarm();
} finally {
  await receiver.close();
  await store.close();
  if (kept === undefined) await rm(directory, { recursive: true, force: true });
}

async function open(): Promise<EvidenceStore> {
  if (engine === "sqlite") return (await filesystem({ directory })).evidence;
  return clickhouse({ connection: { dataDir: directory } });
}

/** What rules read: nothing waits for the store, and nothing is damaged. */
async function partsOf(): Promise<MeasureParts> {
  const silent = (): void => {};
  return {
    config: parseConfig({ TURNPROOF_BACKEND: "ephemeral" }),
    log: { info: silent, warn: silent, error: silent } as unknown as MeasureParts["log"],
    store,
    recorder: undefined,
    server: null,
    now: Date.now,
    ingest: {
      mark: () => new Date().toISOString(),
      report: () => ({ journal: { oldest_pending_at: null } }),
      losses: () => ({ quarantined_roots: [], losses: [] }),
    } as unknown as MeasureParts["ingest"],
    damage: { report: () => ({ store: null, traces: 0, located: true }) },
    prices: await openPriceList(undefined),
  };
}

/** Two weeks of turns, up to now. */
async function fill(): Promise<void> {
  const before = await store.ledger.countTurns({ scope: allTenants, where: [] });
  if (before > 0) return console.log(`# ${engine}, ${before} turns that were there`);
  const everyMs = (2 * weekMs) / turns;
  const firstMs = Date.now() - 2 * weekMs;
  for (let at = 0; at < turns; at += perWrite) {
    const records = turnsBetween(at, Math.min(at + perWrite, turns), { firstMs, everyMs });
    await store.ledger.putTurns(records.map(ofOrders));
  }
  console.log(`# ${engine}, ${turns} turns of two weeks`);
}

/** The turn as the judge leaves it: with results of a contract, and some with an insight. */
function ofOrders(record: TurnRecord, at: number): TurnRecord {
  const { input_tokens: input, output_tokens: output } = record.row;
  const row = {
    total_tokens: (input ?? 0) + (output ?? 0),
    ...(at % 50 === 0 ? { insight_codes: ["repeated_fallback"] } : {}),
  };
  return {
    ...record,
    row: { ...record.row, ...row },
    names: [...record.names, `contract:order=${at % 20 === 0 ? "violated" : "holds"}`],
  };
}

/** One evaluation of each rule, and nothing else. */
async function evaluate(): Promise<void> {
  for (const rule of parsed()) {
    const took: number[] = [];
    const cpu = process.cpuUsage();
    for (let round = 0; round < evaluations; round += 1) {
      const began = performance.now();
      await judgeRule(parts, rule, { atMs: Date.now(), open: [], lookedMs: null });
      took.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(cpu);
    took.sort((a, b) => a - b);
    const [median = NaN, longest = NaN] = [took[Math.floor(evaluations / 2)], took.at(-1)];
    console.log(
      `${rule.name}: ${median.toFixed(0)} ms median, ${longest.toFixed(0)} longest, ` +
        `${((user + system) / 1_000 / evaluations).toFixed(0)} of CPU`,
    );
  }
}

async function alarm(): Promise<void> {
  const targets = [{ name: "ops", kind: "webhook" as const, url: receiver.url }];
  await store.ledger.putTurns(
    Array.from({ length: rounds }, (_, round) => agentTurns(round, true)).flat(),
  );
  const alerts = await startAlerts(parts, {
    rules: parsed(),
    targets,
    secret,
    scope: "bench",
    base: "https://turnproof.test",
    keep: fileStorage(undefined),
  });
  while (alerts.document.looked_ms === null) await wait(100);
  const took = new Map<string, number[]>(names.map((name) => [name, []]));
  let missing = 0;
  for (let round = 0; round < rounds; round += 1) {
    await wait(Math.random() * 4_000);
    const wanted = `late-${run}-${round}`;
    const began = Date.now();
    await store.ledger.putTurns(agentTurns(round, false));
    alerts.wake(began);
    const seen = (): Map<string, number> => alarmsOf(wanted);
    while (seen().size < names.length && Date.now() - began < 6 * goalMs) await wait(50);
    const last = Math.max(...[...seen().values()].map((atMs) => atMs - began));
    console.log(`# agent ${round + 1}: ${seen().size} alarms, the last after ${last} ms`);
    for (const [name, atMs] of seen()) took.get(name)?.push(atMs - began);
    missing += names.length - seen().size;
  }
  await alerts.close();
  for (const [name, all] of took) {
    const seconds = all.map((ms) => ms / 1_000).toSorted((a, b) => a - b);
    const middle = seconds[Math.floor(seconds.length / 2)] ?? NaN;
    console.log(
      `alarm of ${name}: ${middle.toFixed(1)} s median, ` +
        `${(seconds.at(-1) ?? NaN).toFixed(1)} longest`,
    );
  }
  const longest = Math.max(...[...took.values()].flat());
  console.log(`${missing} missing, longest ${(longest / 1_000).toFixed(1)} s`);
  if (missing > 0 || longest > goalMs) process.exitCode = 1;
}

/** When each rule's alarm about an agent arrived. */
function alarmsOf(agent: string): Map<string, number> {
  return new Map(
    receiver.got.flatMap(({ body, atMs }) => {
      const { type, data } = JSON.parse(body) as {
        type: string;
        data: { rule: string; group: string };
      };
      return type === "turnproof.alert.firing" && data.group === agent ? [[data.rule, atMs]] : [];
    }),
  );
}

/** Turns of an agent that break no rule, of a week ago, or such as break each of them, of now. */
function agentTurns(round: number, calm: boolean): readonly TurnRecord[] {
  const at = new Date(Date.now() - (calm ? weekMs + dayMs / 2 : 0)).toISOString();
  const count = 20;
  return turnsBetween(0, count).map((record, index) => {
    const model = { name: "gpt-5", provider: "openai", input_tokens: 5e9, output_tokens: 5e9 };
    const row = {
      ...record.row,
      agent_id: `late-${run}-${round}`,
      root_trace_id: `${calm ? "a" : "b"}${run}-${round}-${index}`,
      started_at: at,
      ended_at: at,
      received_at: at,
      duration_ms: calm ? 5 : 90_000,
      total_tokens: 900,
      has_error: !calm,
      status: calm ? "success" : "error",
      verdict: calm ? "success" : "failed",
      insight_codes: calm ? [] : ["repeated_fallback"],
    } as TurnRecord["row"];
    return {
      ...record,
      key: `${calm ? "calm" : "late"}-${run}-${round}-${index}`,
      row,
      first_received: at,
      calls: record.calls.map((call) => ({
        ...call,
        ...(calm || call.kind !== "model" ? {} : model),
      })),
      names: [`contract:order=${calm ? "holds" : "violated"}`],
    };
  });
}
