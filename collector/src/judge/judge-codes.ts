/** @module JudgeCodes: the judge's findings on a turn, as codes. */
import { findingTexts } from "@turnproof/evidence";
import type { TurnFindings } from "@turnproof/evidence";
import type { Judgement } from "@turnproof/store";

/** Findings of a turn that can change with time alone. */
export const unendedCodes: ReadonlySet<string> = new Set(["turn_open", "turn_unfinished"]);

/** Findings and insights of a turn by code; a code that is both is a finding. */
export function codesOf({
  verdict,
  insights,
}: TurnFindings): Pick<Judgement, "finding_codes" | "insight_codes"> {
  const codes = [...new Set([...verdict.findings, ...insights].map(({ code }) => code))].toSorted();
  const isFinding = (code: string): boolean => Object.hasOwn(findingTexts, code);
  return {
    finding_codes: codes.filter(isFinding),
    insight_codes: codes.filter((code) => !isFinding(code)),
  };
}
