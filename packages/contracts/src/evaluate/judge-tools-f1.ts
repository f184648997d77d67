/**
 * @module JudgeToolsF1: how well the set of called tools agrees with the set of expected ones: the
 * harmonic mean of precision and recall, from 0 to 1. Order and number of calls do not count.
 */
import type { ClauseOf } from "../language/clauses.ts";
import { limited } from "./judge-budgets.ts";
import { listed } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import type { Range } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** F1 over the names; a call that is missing, or has no name, may be of any tool. */
export function judgeToolsF1(clause: ClauseOf<"tools_f1">, facts: TurnFacts): ClauseJudgement {
  const expected = new Set(clause.expected);
  const calls = facts.calls.filter(({ kind, counts }) => kind === "tool" && counts);
  const called = new Set(calls.flatMap(({ name }) => name ?? []));
  const unnamed = calls.filter(({ name }) => name === undefined).length;
  const unknown = facts.closed ? unnamed : Number.POSITIVE_INFINITY;
  const missing = [...expected].filter((name) => !called.has(name));
  const other = [...called].filter((name) => !expected.has(name));
  const hits = expected.size - missing.length;
  const range = rangeOf({ hits, called: called.size, expected: expected.size, unknown });
  const evidence = calls.map(({ event }) => event);
  const judgement = limited(range, clause, "The called tools reach", "F1", evidence);
  const names = [
    judgement.sentence,
    ...(missing.length === 0 ? [] : [`Not called: ${listed(missing.slice(0, 5), "and")}.`]),
    ...(other.length === 0 ? [] : [`Called beside them: ${listed(other.slice(0, 5), "and")}.`]),
  ];
  return { ...judgement, sentence: names.join(" ") };
}

/** Twice the hits over the sizes of both sets, whatever the unknown calls are. */
function rangeOf({
  hits,
  called,
  expected,
  unknown,
}: {
  readonly hits: number;
  readonly called: number;
  readonly expected: number;
  readonly unknown: number;
}): Range {
  const found = Math.min(expected - hits, unknown);
  return {
    low: (2 * hits) / (called + unknown + expected),
    high: (2 * (hits + found)) / (called + found + expected),
  };
}
