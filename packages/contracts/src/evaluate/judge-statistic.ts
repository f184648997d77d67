/** @module JudgeStatistic: the average, the sum or a percentile over the calls of a turn. */
import { nearestRank } from "@turnproof/semconv";
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
  const { of, percentile, sum } = clause;
  const { certain, open } = find(clause, facts);
  const events = [...certain, ...open].map(({ event }) => event);
  const subject = described(clause);
  if (!facts.closed || open.length > 0) {
    return judged(
      "not_established",
      `What is recorded may not be all (${described(clause, 2)}).`,
      events,
    );
  }
  if (certain.length === 0 && sum !== true) {
    return judged("not_established", `No ${subject} is recorded.`);
  }
  const values = certain.map((call) => callMeasures(call)[of]);
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) {
    const all = `${values.length} ${described(clause, values.length)}`;
    const sentence = `The value is not recorded on ${values.length - known.length} of ${all}.`;
    return judged("not_established", sentence, events);
  }
  const total = known.reduce((all, value) => all + value, 0);
  const [what, value] =
    percentile !== undefined
      ? [`Percentile ${percentile}`, nearestRank(known, percentile / 100) ?? Number.NaN]
      : sum === true
        ? ["The sum", total]
        : ["The average", total / known.length];
  const subjects = described(clause, 2);
  return limited(exactly(value), clause, `${what} over ${subjects} is`, units[of], events);
}
