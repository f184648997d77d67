/**
 * @module Measure: the value of a rule in one window, for each of its groups. A window is by the
 * last receipt of a turn, so that late evidence counts when it is here. Null is not established:
 * too few turns, or nothing recorded.
 */
import { insightValue, turnName } from "@turnproof/store";
import type { CountGroup, TurnCondition, TurnQuery, TurnReader } from "@turnproof/store";

import type { MeasuredGroup } from "./rule-change.ts";
import { countsTurns } from "./breach.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { beyond, verdictWaitMs } from "../judge/judge-timing.ts";
import { costValues } from "./measure-cost.ts";
import { lostEvents, lostIn } from "./measure-losses.ts";
import { groupFields, windowQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";
import { storedReceipts, silentOf } from "./silent.ts";
import type { LookedBefore } from "./silent.ts";

/** How far back the oldest turn without a verdict is searched for. */
const unjudgedMs = 86_400_000;
/** Most groups of one rule, those with the most turns. */
const groupsMax = 1_000;

function contractIs({ contract = "" }: AlertRule, result: "holds" | "violated"): TurnCondition {
  return { list: "name", has: turnName("contract", `${contract}=${result}`) };
}

/** Turns that count against a rule: the evidence of its alert. */
export function badCondition(rule: AlertRule): readonly TurnCondition[] {
  const { measure, verdict = null, finding = null, insight, above } = rule;
  if (measure === "verdict_share") return [{ text: "verdict", is: verdict }];
  if (measure === "findings") return [{ list: "code", has: finding }];
  if (measure === "insights" && insight !== undefined) {
    return [{ list: "code", has: insightValue(insight) }];
  }
  if (measure === "contract_share") return [contractIs(rule, "violated")];
  if (measure === "error_share") return [{ list: "flag", has: "error" }];
  if (measure === "p95_ms" && above !== undefined) {
    return [{ number: "duration_ms", sign: ">", value: above }];
  }
  if (measure === "judge_lag_ms") return [{ text: "verdict", is: "unjudged" }];
  return [];
}

/** The rule's values in the window that ends at `endMs`. @param before what counts for a silence */
export async function measureRule(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
  before: LookedBefore = { open: [], lookedMs: null },
): Promise<readonly MeasuredGroup[]> {
  if (rule.measure === "silence") return silentOf(storedReceipts(parts, rule), rule, endMs, before);
  const found = await valuesOf(parts, rule, endMs);
  const unproven = isUnproven(parts, rule);
  return found
    .toSorted((a, b) => b.count - a.count)
    .slice(0, groupsMax)
    .map((one) => (unproven || one.count < leastOf(rule) ? { ...one, value: null } : one));
}

/** Measures of what was judged. */
const ofVerdicts: ReadonlySet<AlertRule["measure"]> = new Set(["verdict_share", "contract_share"]);

/** True where a recorded verdict may rest on evidence that is gone. */
export function isUnproven({ damage }: MeasureParts, { measure }: AlertRule): boolean {
  return ofVerdicts.has(measure) && !damage.report().located;
}

/** Counts and ages are results without any turn; those of turns where the rule requires none. */
function leastOf(rule: AlertRule): number {
  const { measure, min_count } = rule;
  if (countsTurns(rule)) return min_count > 1 ? min_count : 0;
  return ["lost_events", "judge_lag_ms"].includes(measure) ? 0 : min_count;
}

async function valuesOf(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const { ledger } = parts.store;
  const query = await windowQuery(ledger, rule, endMs, rule.window_ms);
  if (rule.measure === "cost_usd") {
    return costValues({ ledger, prices: parts.prices }, rule, query);
  }
  if (rule.measure === "lost_events") {
    const lost = lostIn(await lostEvents(parts), endMs, rule.window_ms);
    return [{ group: null, value: lost, count: lost }];
  }
  if (rule.measure === "judge_lag_ms") return lagOf(parts, rule, endMs);
  const groups = await turnValues(ledger, rule, query);
  if (groups.length === 0 && rule.by === undefined) {
    return [{ group: null, value: countsTurns(rule) ? 0 : null, count: 0 }];
  }
  return groups;
}

/** The value of a group of turns, in one interval where the query has intervals. */
export interface TurnValue extends MeasuredGroup {
  /** Start of the interval, epoch milliseconds; 0 without intervals. */
  readonly from_ms: number;
}

/** Values of a measure that is counted from turns. @param everyMs length of the intervals */
export async function turnValues(
  ledger: TurnReader,
  rule: AlertRule,
  { where, ...query }: TurnQuery,
  everyMs?: number,
): Promise<readonly TurnValue[]> {
  const options = {
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(rule.by === undefined ? {} : { by: groupFields[rule.by] }),
  };
  const place = (of: CountGroup) => ({ group: of.value ?? null, from_ms: of.from_ms ?? 0 });
  if (rule.measure === "p95_ms") {
    const groups = await ledger.turnFigures({ ...query, where }, options);
    return groups.map((of) => {
      return { ...place(of), value: of.p95_ms, count: of.turns - of.duration_unknown };
    });
  }
  // Where no other turns are required, those that count against the rule are read alone.
  if (countsTurns(rule) && rule.min_count === 1) {
    const groups = await ledger.turnCounts(
      { ...query, where: [...where, ...badCondition(rule)] },
      options,
    );
    return groups.map((of) => ({ ...place(of), value: of.turns, count: of.turns }));
  }
  const [also] = badCondition(rule);
  const groups = await ledger.turnCounts(
    { ...query, where: [...where, ...amongCondition(rule)] },
    { ...options, ...(also === undefined ? {} : { also }) },
  );
  return groups.map((of) => {
    const { turns, also: bad = 0 } = of;
    return { ...place(of), value: countsTurns(rule) ? bad : bad / turns, count: turns };
  });
}

/** The turns of which some count against a rule. */
function amongCondition(rule: AlertRule): readonly TurnCondition[] {
  // A turn without a verdict is in neither number, nor one without an established result.
  if (rule.measure === "verdict_share") return [{ text: "verdict", is: "unjudged", not: true }];
  if (rule.measure !== "contract_share") return [];
  return [{ any: [contractIs(rule, "holds"), contractIs(rule, "violated")] }];
}

/** Age of the oldest turn without a verdict, beyond what a judge without a backlog takes. */
async function lagOf(
  parts: MeasureParts,
  rule: AlertRule,
  endMs: number,
): Promise<readonly MeasuredGroup[]> {
  const { ledger } = parts.store;
  const query = await windowQuery(ledger, rule, endMs, unjudgedMs);
  const { records } = await ledger.listTurns(
    { ...query, where: [...query.where, ...badCondition(rule)] },
    { order: { by: "received_at", ascending: true }, limit: 1 },
  );
  const at = records[0]?.row.received_at;
  const value = at === undefined || at === null ? 0 : beyond(verdictWaitMs, endMs - Date.parse(at));
  return [{ group: null, value, count: records.length }];
}
