/**
 * @module Measure: the value of a rule in one window, for each of its groups. A window is by the
 * last receipt of a turn, so that late evidence counts when it is here. Null is not established:
 * too few turns, or nothing recorded.
 */
import { lossIntervals } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import { turnName } from "@turnproof/store";
import type { FigureGroup, TurnCondition, TurnQuestion, TurnReader } from "@turnproof/store";

import type { MeasuredGroup } from "./alert-state.ts";
import { collectorScope } from "../access/grants.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { addCost, noCost } from "../cost/call-cost.ts";
import type { Cost } from "../cost/call-cost.ts";
import type { PriceList } from "../cost/price-list.ts";
import { turnCosts } from "../cost/turn-costs.ts";
import { beyond, verdictWaitMs } from "../judge/judge-timing.ts";
import { isTrusted, knownMs, producerReports } from "../judge/losses.ts";
import type { JudgeParts } from "../parts.ts";
import { knownNames } from "../turns/free-text.ts";
import { turnQuestion } from "../turns/turn-conditions.ts";

/** What a measure reads. */
export interface MeasureParts extends JudgeParts {
  readonly prices: PriceList;
}

/** A turn that lasts longer than this is not found by its last receipt. */
export const longestTurnMs = 86_400_000;
/** How far back a group must have been heard to be silent now. */
const heardMs = 86_400_000;
/** Most groups of one rule, those with the most turns. */
const groupsMax = 1_000;

/** Field of the ledger for each kind of group. */
const groupFields = {
  agent: "agent_id",
  app: "application",
  model: "model",
  release: "release",
  tool: "tool_name",
} as const;

/** The turns that pass the rule's filter; a word without a key is a part of their names. */
export async function ruleQuestion(
  ledger: TurnReader,
  { where: q = "" }: AlertRule,
): Promise<TurnQuestion> {
  const scope = collectorScope();
  const names = await knownNames(ledger, scope, q);
  return turnQuestion({ scope, query: {} }, { q }, { names });
}

/** Those received in the window that ends then. */
export async function windowQuestion(
  ledger: TurnReader,
  rule: AlertRule,
  endMs: number,
  sizeMs: number,
): Promise<TurnQuestion> {
  const from = endMs - sizeMs;
  const { scope, where } = await ruleQuestion(ledger, rule);
  return {
    scope,
    where: [
      ...where,
      // The order of the ledger; without it every look would read the whole history.
      { time: "first_received", from: isoTime(from - longestTurnMs), to: isoTime(endMs) },
      { time: "received_at", from: isoTime(from), to: isoTime(endMs) },
    ],
  };
}

/** Turns of a group. */
export function groupCondition(rule: AlertRule, group: string | null): readonly TurnCondition[] {
  const { by } = rule;
  if (by === undefined) return [];
  if (by === "agent") return [{ text: "agent_id", is: group }];
  return [{ list: groupFields[by], has: group }];
}

function contractIs({ contract = "" }: AlertRule, result: "holds" | "violated"): TurnCondition {
  return { list: "name", has: turnName("contract", `${contract}=${result}`) };
}

/** Turns that count against a rule: the evidence of its alert. */
export function badCondition(rule: AlertRule): readonly TurnCondition[] {
  const { measure, verdict = null, finding = null, above } = rule;
  if (measure === "verdict_share") return [{ text: "verdict", is: verdict }];
  if (measure === "findings") return [{ list: "code", has: finding }];
  if (measure === "contract_share") return [contractIs(rule, "violated")];
  if (measure === "error_share") return [{ list: "flag", has: "error" }];
  if (measure === "p95_ms" && above !== undefined) {
    return [{ number: "duration_ms", sign: ">", value: above }];
  }
  if (measure === "judge_lag_ms") return [{ text: "verdict", is: "unjudged" }];
  return [];
}

/** The rule's values in the window that ends at `endMs`. */
export async function measureRule(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const found = await valuesOf(parts, rule, endMs);
  return found
    .toSorted((a, b) => b.count - a.count)
    .slice(0, groupsMax)
    .map((one) => (one.count < leastOf(rule) ? { ...one, value: null } : one));
}

/** Counts and ages are results without any turn; findings where the rule does not require turns. */
function leastOf({ measure, min_count }: AlertRule): number {
  if (measure === "findings") return min_count > 1 ? min_count : 0;
  return ["lost_events", "silence", "judge_lag_ms"].includes(measure) ? 0 : min_count;
}

async function valuesOf(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const { ledger } = parts.store;
  const question = await windowQuestion(ledger, rule, endMs, rule.window_ms);
  if (rule.measure === "cost_usd") return costsOf(parts, rule, question);
  if (rule.measure === "lost_events") return lossesOf(parts, rule, endMs);
  if (rule.measure === "silence") return silentOf(parts, rule, endMs);
  if (rule.measure === "judge_lag_ms") return lagOf(parts, rule, endMs);
  const groups = await turnValues(ledger, rule, question);
  if (groups.length === 0 && rule.by === undefined) {
    return [{ group: null, value: rule.measure === "findings" ? 0 : null, count: 0 }];
  }
  return groups;
}

/** The value of a group of turns, in one interval where the question has intervals. */
export interface TurnValue extends MeasuredGroup {
  /** Start of the interval, epoch milliseconds; 0 without intervals. */
  readonly from_ms: number;
}

/** Values of a measure that is counted from turns. @param everyMs length of the intervals */
export async function turnValues(
  ledger: TurnReader,
  rule: AlertRule,
  { where, ...question }: TurnQuestion,
  everyMs?: number,
): Promise<readonly TurnValue[]> {
  const options = {
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(rule.by === undefined ? {} : { by: groupFields[rule.by] }),
  };
  const figures = (more: readonly TurnCondition[]): Promise<readonly FigureGroup[]> =>
    ledger.turnFigures({ ...question, where: [...where, ...more] }, options);
  const place = (of: FigureGroup) => ({ group: of.value ?? null, from_ms: of.from_ms ?? 0 });
  const key = (of: FigureGroup): string => JSON.stringify(place(of));
  if (rule.measure === "findings" && rule.min_count > 1) {
    const [all, found] = await Promise.all([figures([]), figures(badCondition(rule))]);
    const withIt = new Map(found.map((of) => [key(of), of.turns]));
    return all.map((of) => ({ ...place(of), value: withIt.get(key(of)) ?? 0, count: of.turns }));
  }
  if (rule.measure !== "contract_share") {
    const groups = await figures(rule.measure === "findings" ? badCondition(rule) : []);
    return groups.map((of) => ({ ...place(of), ...figureOf(rule, of) }));
  }
  // A turn for which the result is not established is in neither number.
  const [established, violated] = await Promise.all([
    figures([{ any: [contractIs(rule, "holds"), contractIs(rule, "violated")] }]),
    figures(badCondition(rule)),
  ]);
  const bad = new Map(violated.map((of) => [key(of), of.turns]));
  return established.map((of) => {
    const value = (bad.get(key(of)) ?? 0) / of.turns;
    return { ...place(of), value, count: of.turns };
  });
}

/** Value of a rule in the figures of some turns. */
function figureOf(
  rule: Pick<AlertRule, "measure" | "verdict">,
  of: FigureGroup,
): { readonly value: number | null; readonly count: number } {
  const { turns, errors, verdicts } = of;
  if (rule.measure === "findings") return { value: turns, count: turns };
  if (rule.measure === "error_share") {
    return { value: turns === 0 ? null : errors / turns, count: turns };
  }
  if (rule.measure === "p95_ms") return { value: of.p95_ms, count: turns - of.duration_unknown };
  const judged = turns - (verdicts["unjudged"] ?? 0);
  const with_it = verdicts[rule.verdict ?? ""] ?? 0;
  return { value: judged === 0 ? null : with_it / judged, count: judged };
}

/**
 * Cost as its bounds. The value is the one that may break the rule: an alarm is not missed because
 * a count is not recorded. A call without a price is in neither.
 */
async function costsOf(
  parts: MeasureParts,
  rule: AlertRule,
  question: TurnQuestion,
): Promise<readonly MeasuredGroup[]> {
  const by = rule.by === "agent" || rule.by === "release" ? rule.by : "model";
  const { rows, total } = await turnCosts(parts.store.ledger, question, { by, list: parts.prices });
  const groups = new Map<string | null, Cost>();
  // The same model of two providers is one group.
  for (const row of rule.by === undefined ? [{ ...total, value: null }] : rows) {
    groups.set(row.value, addCost(groups.get(row.value) ?? noCost, row));
  }
  return [...groups].map(([group, { calls, low_usd, high_usd, unpriced_calls: reasons }]) => {
    const unpriced_calls = Object.values(reasons).reduce((sum, of) => sum + of, 0);
    const value = rule.below === undefined ? high_usd : low_usd;
    return { group, value, count: calls, cost: { low_usd, high_usd, unpriced_calls } };
  });
}

/** Losses that became known in the window, whatever the reports' own time. */
async function lossesOf(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const reports = (await producerReports(parts)).filter(isTrusted);
  const lostBy = (atMs: number): number => {
    const received = reports.filter((report) => knownMs(parts, report) <= atMs);
    return lossIntervals(received).reduce((sum, one) => sum + one.lost, 0);
  };
  const lost = Math.max(0, lostBy(endMs) - lostBy(endMs - rule.window_ms));
  return [{ group: null, value: lost, count: lost }];
}

/** Groups that were heard in a day, with how long ago that was where it exceeds the window. */
async function silentOf(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const { ledger } = parts.store;
  const by = rule.by === "agent" ? "agent_id" : "application";
  const names = async (sizeMs: number): Promise<ReadonlyMap<string, number>> => {
    const question = await windowQuestion(ledger, rule, endMs, sizeMs);
    const [facet] = await ledger.turnFacets(question, [by], 1_000);
    return new Map(
      (facet?.values ?? []).flatMap((of) => (of.value === null ? [] : [[of.value, of.turns]])),
    );
  };
  const [heard, now] = await Promise.all([names(rule.window_ms + heardMs), names(rule.window_ms)]);
  return [...heard]
    .filter(([, turns]) => turns >= rule.min_count)
    .map(([group, turns]) => ({
      group,
      value: now.has(group) ? 0 : rule.window_ms,
      count: turns,
    }));
}

/** Age of the oldest turn without a verdict, beyond what a judge without a backlog takes. */
async function lagOf(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const { ledger } = parts.store;
  const question = await windowQuestion(ledger, rule, endMs, heardMs);
  const { records } = await ledger.listTurns(
    { ...question, where: [...question.where, ...badCondition(rule)] },
    { order: { by: "received_at", ascending: true }, limit: 1 },
  );
  const at = records[0]?.row.received_at;
  const value = at === undefined || at === null ? 0 : beyond(verdictWaitMs, endMs - Date.parse(at));
  return [{ group: null, value, count: records.length }];
}
