/**
 * @module VerdictReasons: why a verdict is no success, beside its findings, as a closed set of
 * codes: what makes the window incomplete, and declared stages that are missing.
 */
import { windowWords } from "./reconcile-explanation.ts";
import type { WindowReason, WindowTrust } from "./reconcile-window.ts";

/** A reason of a verdict. */
export type VerdictReason = WindowReason | "stages_missing";

/** Each reason in words. */
export const verdictReasonWords: { readonly [K in VerdictReason]: string } = {
  ...windowWords,
  stages_missing: "a declared stage is not on record",
};

/** All reasons. */
export const verdictReasons: readonly VerdictReason[] = Object.keys(
  verdictReasonWords,
) as VerdictReason[];

/**
 * Reasons that mean that evidence may be lost; what a sampler dropped is left out, as in the counts
 * of losses.
 */
export const lostReasons: readonly VerdictReason[] = ["known_loss", "write_failures"];

/** The only stage that a success may lack: the outcome is observed later, by others. */
const outcomeStage = "outcome";

/** True where one of these missing stages prevents a success. */
export function isStageMissing(missing: readonly string[]): boolean {
  return missing.some((stage) => stage !== outcomeStage);
}

/** The reasons of a verdict, sorted; none for a success. */
export function reasonsOf({
  window,
  missing_stages: missing,
}: {
  readonly window: WindowTrust;
  readonly missing_stages: readonly string[];
}): readonly VerdictReason[] {
  const stages = isStageMissing(missing) ? (["stages_missing"] as const) : [];
  return [...window.reasons, ...stages].toSorted();
}
