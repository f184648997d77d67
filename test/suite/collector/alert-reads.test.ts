/** How often one evaluation of a rule reads the ledger. */
import { ephemeral } from "@turnproof/store";
import type { TurnLedger } from "@turnproof/store";
import { beforeEach, expect, test } from "vitest";

import { judgeRule } from "../../../collector/src/alerts/evaluate.ts";
import type { MeasureParts } from "../../../collector/src/alerts/rule-query.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { AlertRule } from "../../../collector/src/config/alert-rules.ts";
import { measureParts, putTurns } from "./alert-desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const reads = ["turnCounts", "turnFigures", "callFigures"] as const;
let parts: MeasureParts;
let read: string[];
beforeEach(async () => {
  const store = ephemeral();
  await putTurns(store, start - 1_000, [
    { root: "a", agent: "a", verdict: "failed", codes: ["repeated_fallback"] },
    { root: "b", agent: "b", verdict: "success", contracts: ["contract:order=holds"] },
  ]);
  read = [];
  const counted = reads.map((name) => [
    name,
    (...requested: never[]) => {
      read.push(name);
      return (store.ledger[name] as (...of: never[]) => unknown)(...requested);
    },
  ]);
  const ledger = { ...store.ledger, ...Object.fromEntries(counted) } as TurnLedger;
  parts = { ...(await measureParts(store, { ms: start })), store: { ...store, ledger } };
});

function ruleOf(of: string): AlertRule {
  const [rule] = parseAlertRules(`version: 1\nrules:\n  - {name: one, by: agent, ${of}}`);
  if (rule === undefined) throw new Error("no rule");
  return rule;
}

async function readsOf(rule: AlertRule, atMs: number): Promise<readonly string[]> {
  read = [];
  await judgeRule(parts, rule, { atMs, open: [], lookedMs: null });
  return read;
}

test.each([
  ["measure: error_share, above: 0", "turnCounts"],
  ["measure: verdict_share, verdict: failed, above: 0", "turnCounts"],
  ["measure: contract_share, contract: order, above: 0", "turnCounts"],
  ["measure: insights, insight: repeated_fallback, min_count: 2, above: 0", "turnCounts"],
  ["measure: findings, finding: turn_failed, above: 0", "turnCounts"],
  ["measure: p95_ms, above: 0", "turnFigures"],
  ["measure: cost_usd, above: 0", "callFigures"],
])("%s is one read", async (of, name) => {
  const rule = ruleOf(`${of}, window: 10m`);
  await readsOf(rule, start);
  expect(await readsOf(rule, start + 1_000)).toEqual([name]);
});

test("a cost is divided as its models need, from its second evaluation on by one read", async () => {
  const rule = ruleOf("measure: cost_usd, above: 0, window: 10m");
  parts = { ...parts, prices: { ...parts.prices, stepsOf: () => [1] } };
  expect(await readsOf(rule, start)).toHaveLength(2);
  expect(await readsOf(rule, start + 1_000)).toHaveLength(1);
});

test("the week before is read again after a sixtieth of the window, at most a minute", async () => {
  const rule = ruleOf("measure: error_share, change: 2, window: 10m");
  expect(await readsOf(rule, start)).toHaveLength(2);
  expect(await readsOf(rule, start + 9_999)).toHaveLength(1);
  expect(await readsOf(rule, start + 10_000)).toHaveLength(2);
  // A window that ended before is compared with its own week.
  expect(await readsOf(rule, start + 5_000)).toHaveLength(2);
  expect(await readsOf(rule, start + 15_000)).toHaveLength(1);
  const daily = ruleOf("measure: error_share, change: 2, window: 1d");
  expect(await readsOf(daily, start)).toHaveLength(2);
  expect(await readsOf(daily, start + 59_999)).toHaveLength(1);
  expect(await readsOf(daily, start + 60_000)).toHaveLength(2);
});
