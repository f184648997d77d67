/** @module StepTexts: in which way the calls of a turn leave a golden trajectory, as a sentence. */
import type { ClauseOf, GoldenStep } from "../language/clauses.ts";
import { keyId } from "./matching.ts";
import { counted } from "./judgement.ts";

/** What a trajectory compares beside kinds and names. */
type CompareOf = ClauseOf<"trajectory">["compare"];

/** Golden steps and recorded calls as steps. */
export interface StepsOfBoth {
  readonly golden: readonly GoldenStep[];
  readonly recorded: readonly GoldenStep[];
  readonly compare: CompareOf;
}

/** The step, from 0, at which calls in order leave the golden ones. */
export function differingStep(at: number, { golden, recorded, compare }: StepsOfBoth): string {
  const [wanted, made] = [golden[at], recorded[at]];
  const more = lengthTexts(golden.length, recorded.length);
  const step = `Step ${at + 1}`;
  if (wanted === undefined) {
    const extra = made === undefined ? step : `${step} (${stepTexts(made)})`;
    return `${extra} is not in the golden trajectory.${more}`;
  }
  const expected = `expected ${stepTexts(wanted)}`;
  if (made === undefined) return `${step} is missing: ${expected}, recorded no call.${more}`;
  if (!isSameCall(wanted, made)) {
    return `${step} differs: ${expected}, recorded ${stepTexts(made)}.${more}`;
  }
  const parts = differences(wanted, made, compare);
  return parts === undefined
    ? `${step} (${stepTexts(wanted)}) has its place in no possible order of the calls.${more}`
    : `${step} (${stepTexts(wanted)}) differs in ${parts}.${more}`;
}

/**
 * A call, from 0, that no golden step allows.
 *
 * @param free golden steps that no other call has
 */
export function extraStep(at: number, free: readonly number[], both: StepsOfBoth): string {
  const { golden, recorded, compare } = both;
  const made = recorded[at];
  if (made === undefined) return `Step ${at + 1} is not in the golden trajectory.`;
  const step = `Step ${at + 1} (${stepTexts(made)})`;
  const same = free.find((place) => isSameCall(golden[place], made));
  const parts = same === undefined ? undefined : differences(golden[same], made, compare);
  if (parts !== undefined) return `${step} differs in ${parts}.`;
  const [missing] = free;
  // A subset may have fewer calls.
  const isLonger = recorded.length > golden.length;
  const more = isLonger ? lengthTexts(golden.length, recorded.length) : "";
  return missing === undefined
    ? `${step} is not in the golden trajectory.${more}`
    : `${step} is not in the golden trajectory, of which step ${missing + 1} ` +
        `(${stepTexts(golden[missing])}) is missing.${more}`;
}

/**
 * A golden step, from 0, that no call has.
 *
 * @param free calls that no golden step has
 */
export function missingStep(at: number, free: readonly number[], both: StepsOfBoth): string {
  const { golden, recorded, compare } = both;
  const wanted = golden[at];
  const step = `Golden step ${at + 1} (${stepTexts(wanted)})`;
  const same = free.find((place) => isSameCall(wanted, recorded[place]));
  const parts = same === undefined ? undefined : differences(wanted, recorded[same], compare);
  // A superset may have more calls.
  const isShorter = recorded.length < golden.length;
  const fewer = isShorter ? lengthTexts(golden.length, recorded.length) : "";
  return parts === undefined
    ? `${step} is missing.${fewer}`
    : `${step} is missing: step ${(same ?? 0) + 1} of the turn differs in ${parts}.`;
}

/** Kind and name of a step. */
export function stepTexts(step: GoldenStep | undefined): string {
  return step === undefined ? "no call" : `${step.kind} ${step.name ?? "without a name"}`;
}

function isSameCall(one: GoldenStep | undefined, other: GoldenStep | undefined): boolean {
  return one?.kind === other?.kind && one?.name === other?.name;
}

/** Outcome and arguments, as far as they are compared and differ. */
function differences(
  wanted: GoldenStep | undefined,
  made: GoldenStep | undefined,
  compare: CompareOf = [],
): string | undefined {
  const part = (what: string, ...[expected, recorded]: [string, string]): string =>
    `its ${what} (expected ${expected}, recorded ${recorded})`;
  const found = [
    compare.includes("outcome") && wanted?.outcome !== made?.outcome
      ? part("outcome", wanted?.outcome ?? "none", made?.outcome ?? "none")
      : [],
    compare.includes("arguments") && wanted?.fingerprint !== made?.fingerprint
      ? part("arguments", printOf(wanted?.fingerprint), printOf(made?.fingerprint))
      : [],
  ].flat();
  return found.length === 0 ? undefined : found.join(" and ");
}

/** Digits of a fingerprint that distinguish it in a sentence. */
const digits = 8;

/** The key and the first digits of a fingerprint. */
function printOf(fingerprint: string | undefined): string {
  if (fingerprint === undefined) return "no fingerprint";
  const start = keyId(fingerprint).length + 1;
  return `fingerprint ${fingerprint.slice(0, start + digits)}…`;
}

/** How many calls more or fewer than golden steps there are, as a further sentence. */
function lengthTexts(golden: number, recorded: number): string {
  if (golden === recorded) return "";
  const number = counted(Math.abs(recorded - golden), "call");
  return ` The turn has ${number} ${recorded > golden ? "more" : "fewer"} than the golden trajectory.`;
}
