/**
 * @module FindingTexts: what a finding in an audit log means, and what helps, wherever it is shown.
 */
import type { Log } from "../../log.ts";
import type { AuditFinding, AuditVerification } from "./verify.ts";

/** The meaning of each code, as a part of a sentence about a record. */
export const findingMeanings: Readonly<Record<AuditFinding["code"], string>> = {
  audit_seal_broken: "the line was edited",
  audit_chain_broken: "a line before it was removed, added or moved",
  audit_order_broken: "its number does not follow the one before it",
  audit_line_torn: "the line has no end",
  audit_leaf_broken: "its leaf commits to another text",
  audit_cut: "a checkpoint covers records that are not there",
  audit_salts_missing:
    "salts are gone that no deletion of a user removes; this is the first record without one",
  audit_history_differs: "the records up to it are other ones than those that were signed",
  audit_checkpoint_broken: "a checkpoint was edited",
  audit_checkpoint_cut: "a checkpoint is there only in part: it was cut, not edited",
  audit_wrong_key: "made with another key than the ones it is checked with",
};

/** The meaning of a code that came as text. */
export function findingMeaning(code: string): string | undefined {
  return Object.entries(findingMeanings).find(([known]) => known === code)?.[1];
}

/** Logs the first finding of a verification. @param path of the audit log */
export function loggedFindings(log: Log, path: string): (of: AuditVerification) => void {
  return ({ findings: [first], findings_total: count }) => {
    if (first === undefined) return;
    const { code, record } = first;
    log.error("audit_damaged", { code, record, count, path, command: "turnproof audit verify" });
  };
}

/** What helps, in sentences. */
export function findingAdvice(code: string): string {
  return code === "audit_wrong_key"
    ? "Bring the key back: keys/session-secret, TURNPROOF_UI_SESSION_SECRET, or that of checkpoints, keys/audit-checkpoint.pem."
    : "Keep the log, its checkpoints and those that were sent elsewhere as evidence.";
}
