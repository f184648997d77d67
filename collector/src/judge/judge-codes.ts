/** @module JudgeCodes: the judge's findings on a turn, and why it is no success, as codes. */
import { findingTexts, reasonsOf } from "@turnproof/evidence";
import type { TurnFindings } from "@turnproof/evidence";
import type { Judgement } from "@turnproof/store";

/** Findings of a turn that can change with time alone. */
export const unendedCodes: ReadonlySet<string> = new Set(["turn_open", "turn_unfinished"]);

/**
 * Findings and insights of a turn by code, where one that is both is a finding; and its reasons.
 */
export function codesOf({
  verdict,
  insights,
}: TurnFindings): Pick<Judgement, "finding_codes" | "insight_codes" | "verdict_reasons"> {
  const codes = [...new Set([...verdict.findings, ...insights].map(({ code }) => code))].toSorted();
  const isFinding = (code: string): boolean => Object.hasOwn(findingTexts, code);
  return {
    finding_codes: codes.filter(isFinding),
    insight_codes: codes.filter((code) => !isFinding(code)),
    verdict_reasons: reasonsOf(verdict),
  };
}
