/** @module KindTexts: display names of event kinds, chain links and reasons. */
import { findingTexts, variantTexts, verdictReasonWords } from "@turnproof/evidence";
import type { FindingCode, FindingVariant, Lane, VerdictReason } from "@turnproof/evidence";

import { wordsOf } from "./figures.ts";
import { capital } from "./capital.ts";

/** Lanes in the order of the legend, with their names. */
export const lanes: readonly (readonly [lane: Lane, name: string])[] = [
  ["memory", "Memory"],
  ["model", "Model"],
  ["tool", "Tool"],
  ["host", "Host"],
  ["artifact", "Artifact"],
  ["delivery", "Delivery"],
  ["error", "Error"],
];

/** Display name of an event kind; a kind without one is shown unchanged. */
export function kindTexts(kind: string): string {
  return kind === "span" ? "structure" : wordsOf(kind);
}

const reasonWords: { readonly [reason: string]: string } = {
  intent_recorded: "Recorded",
  artifact_persisted: "Persisted and read back",
  artifact_deleted: "Deleted later",
  contract_clean: "Parsed cleanly",
  contract_optional: "Optional, and not required",
  delivery_acknowledged: "Emitted and acknowledged",
  later_state: "A later state replaced it",
};

/** Why a chain link is in its state, in words. */
export function reasonText(reason: string): string {
  const { title } =
    findingTexts[reason as FindingCode] ?? variantTexts[reason as FindingVariant] ?? {};
  return reasonWords[reason] ?? title ?? wordsOf(reason);
}

/** Why a verdict is no success, in words that begin a sentence. */
export function verdictReasonText(reason: string): string {
  const known = Object.hasOwn(verdictReasonWords, reason);
  const text = known ? verdictReasonWords[reason as VerdictReason] : wordsOf(reason);
  return capital(text);
}

/** Priority of a finding, 0 first; a code without a text has the lowest. */
export function findingPriority(code: string): 0 | 1 | 2 {
  return findingTexts[code as FindingCode]?.priority ?? 2;
}

/**
 * The judge's sentence for a page: without the word of the badge beside it, and without the codes,
 * which are at the findings below.
 */
export function verdictSentence(why: string): string {
  const text = why
    .replace(/^(Success|Partial|Failed|Unknown): /, "")
    .replaceAll(/ \([a-z_]+(?:: ([^()]*))?\)/g, (_code, subject?: string) =>
      subject === undefined ? "" : `: ${subject}`,
    );
  return capital(text);
}
