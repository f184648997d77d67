/**
 * @module ReconcileExplanation: the reason for a verdict in one sentence of codes, table words and
 * registered labels. It never contains a value of an event.
 */
import type { VerdictStatus } from "@turnproof/semconv";

import type { Finding } from "./finding-list.ts";
import type { WindowReason, WindowTrust } from "./reconcile-window.ts";

/** Why a window is incomplete, in words. */
export const windowWords: { readonly [K in WindowReason]: string } = {
  metadata_missing: "nothing proves that the window is complete",
  metadata_incomplete: "the reader does not report whether it read everything",
  window_incomplete: "the window was not read completely",
  truncated: "the window was truncated",
  normalization_errors: "some records could not be read",
  read_incomplete: "the reader calls its reading incomplete",
  events_rejected: "some values are no events",
  contested: "an event has several contents of one time, and no order between them is known",
  known_loss: "evidence was lost while the turn was open",
  sampled_out: "evidence was sampled out",
  write_failures: "a producer could not write evidence",
};

interface Grounds {
  readonly trust: WindowTrust;
  readonly findings: readonly Finding[];
  readonly missing: readonly string[];
  readonly intents: number;
}

const nothingToJudge =
  "Unknown: neither what was to be delivered nor any delivery is recorded, so there is nothing to judge.";

/** The sentence of a verdict. */
export function explain(status: VerdictStatus, grounds: Grounds): string {
  if (status === "success") {
    const what = grounds.intents === 1 ? "the intent is" : `all ${grounds.intents} intents are`;
    return `Success: ${what} satisfied, delivered and acknowledged in a complete window.`;
  }
  if (status === "unknown") return nothingToJudge;
  const name = status === "failed" ? "Failed" : "Partial";
  const reasons = [
    ...grounds.findings.slice(0, 1).map(words),
    ...grounds.trust.reasons.slice(0, 1).map((reason) => `${windowWords[reason]} (${reason})`),
    ...(grounds.missing.length === 0 ? [] : [`missing stages: ${grounds.missing.join(", ")}`]),
  ];
  const total = grounds.findings.length + grounds.trust.reasons.length;
  const shown = Math.min(grounds.findings.length, 1) + Math.min(grounds.trust.reasons.length, 1);
  const more = total > shown ? `; and ${total - shown} more` : "";
  return `${name}: ${reasons.join("; ")}${more}.`;
}

function words(finding: Finding): string {
  const subject = finding.subject === null ? "" : `: ${finding.subject}`;
  return `${finding.title.toLowerCase()} (${finding.code}${subject})`;
}
