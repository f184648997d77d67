/** @module JudgeStatistic: the average or a percentile over the calls of a turn. */
import type { ClauseOf } from "../language/clauses.ts";
import { callMeasures } from "./call-measures.ts";
import { limited } from "./judge-budgets.ts";
import { judged } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { described, find } from "./matching.ts";
import { exactly } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

const units = {
  duration_ms: "ms",
  first_token_ms: "ms to the first token",
  tokens: "tokens",
  results: "results",
} as const;

/** Every call must be known with its value: one that is missing could be anywhere. */
export function judgeStatistic(clause: ClauseOf<"statistic">, facts: TurnFacts): ClauseJudgement {
  const { of, percentile } = clause;
  const { certain, open } = find(clause, facts);
  const events = [...certain, ...open].map(({ event }) => event);
  const subject = described(clause);
  if (!facts.closed || open.length > 0) {
    return judged(
      "not_established",
      `The calls that are recorded may not be all (${subject}).`,
      events,
    );
  }
  if (certain.length === 0) return judged("not_established", `None (${subject}) is recorded.`);
  const values = certain.map((call) => callMeasures(call)[of]);
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) {
    const without = `${values.length - known.length} of ${values.length} (${subject})`;
    return judged("not_established", `The value of ${without} is not recorded.`, events);
  }
  const what = percentile === undefined ? "The average" : `Percentile ${percentile}`;
  const value = percentile === undefined ? mean(known) : nearestRank(known, percentile);
  return limited(exactly(value), clause, `${what} (${subject}) is`, units[of], events);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param values not empty */
function nearestRank(values: readonly number[], percentile: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? Number.NaN;
}
