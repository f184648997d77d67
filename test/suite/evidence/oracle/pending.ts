/**
 * @module Pending: rules of the issue that the judge does not have yet. Each entry excuses exactly
 * the disagreements that the rule explains, and goes when the judge has it.
 */
import type { Verdict } from "@turnproof/evidence";

import type { JudgedWindow, OracleVerdict, Rule } from "./law.ts";

const rules: ReadonlySet<Rule> = new Set<Rule>([
  "negative",
  "marker",
  "late_intent",
  "outcome",
  "turn_error",
  "unfinished",
  "failed_stage",
  "order",
  "clock_ahead",
  "clock_conflict",
  "loss",
  "sources",
]);

/** True where a rule that is not there yet explains the difference. */
export function isPending(
  { events }: JudgedWindow,
  { objections }: OracleVerdict,
  verdict: Verdict,
): boolean {
  return (
    objections.some(({ rule }) => rules.has(rule)) ||
    // Sequence, skew and receipt (point 3).
    events.some((event) => event["producer_seq"] !== undefined) ||
    // Untrusted producers (point 7).
    events.some((event) => event["ingest_trusted"] === false) ||
    // A negative that a positive superseded (point 1); receipt as an order (point 3).
    verdict.findings.some(({ code }) =>
      ["artifact_provenance_invalid", "clock_conflict"].includes(code),
    )
  );
}
