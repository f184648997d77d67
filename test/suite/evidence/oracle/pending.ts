/**
 * @module Pending: rules of the issue that the judge does not have yet. Each entry excuses exactly
 * the disagreements that the rule explains, and goes when the judge has it.
 */
import type { Verdict } from "@turnproof/evidence";

import type { JudgedWindow, OracleVerdict, Rule } from "./law.ts";

const rules: ReadonlySet<Rule> = new Set<Rule>([
  "unfinished",
  "order",
  "clock_ahead",
  "clock_conflict",
  "loss",
]);

/** True where a rule that is not there yet explains the difference. */
export function isPending(
  { events }: JudgedWindow,
  { objections }: OracleVerdict,
  verdict: Verdict,
): boolean {
  return (
    objections.some(({ rule }) => rules.has(rule)) ||
    // Whose turn another service's evidence belongs to (point 2): the oracle does not say it yet.
    new Set(events.map((event) => event["application_id"])).size > 1 ||
    // Sequence, skew and receipt (point 3).
    events.some((event) => event["producer_seq"] !== undefined) ||
    // What a producing action says at its start (point 1).
    events.some(
      (event) => event["phase"] === "start" && JSON.stringify(event).includes("_verified"),
    ) ||
    // Receipt as an order (point 3).
    verdict.findings.some(({ code }) => code === "clock_conflict")
  );
}
