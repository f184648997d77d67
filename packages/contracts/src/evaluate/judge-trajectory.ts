/**
 * @module JudgeTrajectory: the calls of a turn against those of a golden one, and the first step
 * at which they differ.
 */
import { stepOf } from "../golden/golden.ts";
import type { ClauseOf, GoldenStep } from "../language/clauses.ts";
import type { Call } from "./call.ts";
import { judged } from "./judgement.ts";
import { keyId } from "./matching.ts";
import { differingStep, extraStep, missingStep, stepTexts } from "./step-texts.ts";
import type { StepsOfBoth } from "./step-texts.ts";
import { sameSteps, stepsInOrder } from "./step-order.ts";
import type { ClauseJudgement } from "./judgement.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Judges a trajectory. */
export function judgeTrajectory(clause: ClauseOf<"trajectory">, facts: TurnFacts): ClauseJudgement {
  const named = facts.around.goldens.get(clause.golden ?? "");
  const steps = clause.steps ?? named?.steps;
  const isOrdered = clause.steps !== undefined || named?.ordered !== false;
  if (steps === undefined) return judged("not_established", "The golden trajectory is not there.");
  const of = clause.of ?? "tools";
  const golden = steps.filter(({ kind }) => of === "calls" || kind === "tool");
  const calls = facts.calls.filter(({ kind }) => of === "calls" || kind === "tool");
  const keyOf = keying(clause, golden);
  const wanted = golden.map(keyOf);
  if (!facts.closed) return judgePart(clause, facts, { wanted, calls, keyOf });
  const made = calls.map((call) => keyOf(stepOf(call)));
  if ([...wanted, ...made].includes(undefined)) {
    return (
      judgeNames(clause, { golden, calls }) ?? judgePart(clause, facts, { wanted, calls, keyOf })
    );
  }
  const compared = { golden, wanted: wanted as string[], made: made as string[], calls };
  return isOrdered ? judgeWhole(clause, compared) : judgeWithoutOrder(clause, compared);
}

/** What a golden whose own order is not known still decides: whether the same steps are there. */
function judgeWithoutOrder(clause: ClauseOf<"trajectory">, compared: Compared): ClauseJudgement {
  const { match } = clause;
  const matches = { strict: "unordered", ordered: "superset" } as const;
  if (match !== "strict" && match !== "ordered") return judgeWhole(clause, compared);
  const found = judgeWhole({ ...clause, match: matches[match] }, compared);
  if (found.result !== "holds") return found;
  const sentence = "Times do not establish the order of the golden steps.";
  return judged("not_established", sentence, eventsOf(compared.calls));
}

/**
 * Where a step lacks what is compared, other names still differ: what is not recorded could only
 * add a difference.
 */
function judgeNames(
  clause: ClauseOf<"trajectory">,
  { golden, calls }: Pick<Compared, "golden" | "calls">,
): ClauseJudgement | undefined {
  const nameOf = keying({ ...clause, compare: [] }, golden);
  const wanted = golden.map(nameOf);
  const made = calls.map((call) => nameOf(stepOf(call)));
  if (![...wanted, ...made].includes(undefined)) {
    const names = { golden, wanted: wanted as string[], made: made as string[], calls };
    const found = judgeWhole({ ...clause, compare: [] }, names);
    if (found.result === "violated") return found;
  }
  return undefined;
}

/**
 * What must agree, as a text; undefined where a part of it is not recorded, and for a fingerprint
 * of another key than those of the golden steps.
 */
function keying(
  { compare = [] }: ClauseOf<"trajectory">,
  golden: readonly GoldenStep[],
): (step: GoldenStep) => string | undefined {
  const keys = new Set(
    golden.flatMap(({ fingerprint: of }) => (of === undefined ? [] : keyId(of))),
  );
  const comparable = (of: string): boolean => keys.size === 1 && keys.has(keyId(of));
  return ({ kind, name, outcome, fingerprint }) => {
    if (name === null) return undefined;
    const parts: string[] = [kind, name];
    if (compare.includes("outcome") && kind === "tool") {
      if (outcome === undefined) return undefined;
      parts.push(outcome);
    }
    if (compare.includes("arguments") && kind === "tool") {
      if (fingerprint === undefined || !comparable(fingerprint)) return undefined;
      parts.push(fingerprint);
    }
    return JSON.stringify(parts);
  };
}

/**
 * Where calls are missing, or lack what is compared, a call too many decides, and for a superset
 * that all are there.
 */
function judgePart(
  { match, compare = [] }: ClauseOf<"trajectory">,
  facts: TurnFacts,
  parts: {
    readonly wanted: readonly (string | undefined)[];
    readonly calls: readonly Call[];
    readonly keyOf: (step: GoldenStep) => string | undefined;
  },
): ClauseJudgement {
  const { wanted, calls, keyOf } = parts;
  const certain = calls.filter(
    (call) => isSettled(call, facts, compare) && keyOf(stepOf(call)) !== undefined,
  );
  const left = countsOf(wanted);
  const extra = certain.filter((call) => !take(left, keyOf(stepOf(call))));
  if (match === "superset" && wanted.length > 0 && sum(left) === 0) {
    return judged("holds", "Every golden step is recorded.", eventsOf(certain));
  }
  const decides = !wanted.includes(undefined) && extra.length > 0;
  if (match !== "superset" && match !== "ordered" && decides) {
    const words = stepTexts(extra[0] && stepOf(extra[0]));
    const sentence = `A call (${words}) is recorded that the golden trajectory does not have.`;
    return judged("violated", sentence, eventsOf(extra));
  }
  const sentence = facts.closed
    ? "A step lacks what is compared."
    : facts.whole
      ? "The turn has not ended."
      : "A part of the calls may be missing.";
  return judged("not_established", sentence, eventsOf(calls));
}

/** Whether what is compared of a call stands, whatever is missing. */
function isSettled(call: Call, facts: TurnFacts, compare: readonly string[]): boolean {
  if (facts.closed) return true;
  if (compare.includes("outcome")) return false;
  return compare.includes("arguments") ? call.certain && call.finished : call.counts;
}

interface Compared {
  readonly golden: readonly GoldenStep[];
  readonly wanted: readonly string[];
  readonly made: readonly string[];
  readonly calls: readonly Call[];
}

function judgeWhole(clause: ClauseOf<"trajectory">, compared: Compared): ClauseJudgement {
  const { match, compare } = clause;
  const { golden, wanted, made, calls } = compared;
  const both = { golden, recorded: calls.map(stepOf), compare };
  if (match === "strict") return judgeStrict(compared, both);
  if (match === "ordered") return judgeOrdered(compared, both);
  const [extra, missing] = [without(made, wanted), without(wanted, made)];
  const [firstExtra, firstMissing] = [extra[0], missing[0]];
  if (match !== "superset" && firstExtra !== undefined) {
    const sentence = extraStep(firstExtra, missing, both);
    const evidence = calls.slice(firstExtra, firstExtra + 1);
    return { ...judged("violated", sentence, eventsOf(evidence)), diverged_at: firstExtra + 1 };
  }
  if (match !== "subset" && firstMissing !== undefined) {
    const sentence = missingStep(firstMissing, extra, both);
    return { ...judged("violated", sentence, eventsOf(calls)), diverged_at: firstMissing + 1 };
  }
  return judged("holds", `The ${made.length} steps match (${match}).`, eventsOf(calls));
}

/** Places of the steps that are left when each of the others takes one that is the same. */
function without(steps: readonly string[], others: readonly string[]): readonly number[] {
  const left = countsOf(others);
  return steps.flatMap((key, at) => (take(left, key) ? [] : [at]));
}

function judgeOrdered(compared: Compared, both: StepsOfBoth): ClauseJudgement {
  const { golden, calls } = compared;
  const { result, differs: at = 0 } = stepsInOrder(compared);
  if (result === "not_established") return unordered(calls);
  if (result === "holds") return judged(result, "The golden steps are there in order.");
  const isMissing = without(compared.wanted, compared.made).includes(at);
  const sentence = isMissing
    ? missingStep(at, without(compared.made, compared.wanted), both)
    : `Golden step ${at + 1} (${stepTexts(golden[at])}) does not follow in order.`;
  return { ...judged(result, sentence, eventsOf(calls)), diverged_at: at + 1 };
}

function judgeStrict(compared: Compared, both: StepsOfBoth): ClauseJudgement {
  const { wanted, calls } = compared;
  const { result, differs: at = 0 } = sameSteps(compared);
  if (result === "not_established") return unordered(calls);
  if (result === "holds") {
    return judged(result, `All ${wanted.length} steps match in order.`, eventsOf(calls));
  }
  const call = calls[at];
  const sentence = differingStep(at, both);
  const evidence = call === undefined ? [] : [call];
  return { ...judged(result, sentence, eventsOf(evidence)), diverged_at: at + 1 };
}

function unordered(calls: readonly Call[]): ClauseJudgement {
  return judged("not_established", "Times do not establish the order.", eventsOf(calls));
}

function countsOf(keys: readonly (string | undefined)[]): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Takes one of a key; false where none is left. */
function take(counts: Map<string | undefined, number>, key: string | undefined): boolean {
  const there = counts.get(key) ?? 0;
  if (there === 0) return false;
  counts.set(key, there - 1);
  return true;
}

function sum(counts: ReadonlyMap<string | undefined, number>): number {
  let total = 0;
  for (const number of counts.values()) total += number;
  return total;
}

function eventsOf(calls: readonly Call[]): Call["event"][] {
  return calls.map(({ event }) => event);
}
