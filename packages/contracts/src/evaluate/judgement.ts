/** @module Judgement: the answer of one clause before it becomes a result. */
import type { TurnEvent } from "@turnproof/evidence";

import type { Outcome } from "./three-values.ts";

/** Result, the events that decide it, and one plain sentence of labels and numbers. */
export interface ClauseJudgement {
  readonly result: Outcome;
  readonly evidence: readonly TurnEvent[];
  readonly sentence: string;
  /** First step at which a trajectory leaves its golden; counted from 1. */
  readonly diverged_at?: number;
  readonly measured?: MeasuredRange;
}

/** What was measured against limits, as the sentence has it. */
export interface MeasuredRange {
  readonly low: number;
  /** Null where there is no upper bound. */
  readonly high: number | null;
  readonly unit: string;
}

/** The measured value in a sentence. */
export function measuredWords({ low, high, unit }: MeasuredRange): string {
  if (high !== null && high !== low) return `${rounded(low)} to ${rounded(high)} ${unit}`;
  if (high === null && low === 0) return `an unknown number of ${unit}`;
  const noun = low === 1 ? singular(unit) : unit;
  return `${rounded(low)} ${noun}${high === null ? " or more" : ""}`;
}

/** The unit of one. */
function singular(unit: string): string {
  return unit
    .replace("retries", "retry")
    .replace(/\b(fallback|level|result|service|token)s\b/u, "$1");
}

/** A number in a sentence. */
export function rounded(number: number): string {
  return String(Math.round(number * 1e6) / 1e6);
}

const nothing: readonly TurnEvent[] = [];

/** A judgement. */
export function judged(
  result: Outcome,
  sentence: string,
  evidence: readonly TurnEvent[] = nothing,
): ClauseJudgement {
  return { result, sentence, evidence };
}

/** A count and its noun. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Names in a sentence. */
export function listed(names: string | readonly string[], word = "or"): string {
  const list = typeof names === "string" ? [names] : names;
  return list.length < 2
    ? (list[0] ?? "")
    : `${list.slice(0, -1).join(", ")} ${word} ${list.at(-1) ?? ""}`;
}
