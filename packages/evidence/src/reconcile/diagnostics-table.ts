/**
 * @module DiagnosticsTable: text and priority of each finding of the judge (evidence: Diagnostics).
 * A second table has what prevents a success without a diagnostic. No sentence contains a value.
 */
import { text } from "./finding-text.ts";
import type { FindingText, Priority } from "./finding-text.ts";
import { gapTexts } from "./gap-table.ts";
import type { GapCode } from "./gap-table.ts";

/** Codes of the diagnostics table (evidence: Diagnostics). */
export const diagnosticCodes = [
  "artifact_missing",
  "artifact_persistence_unverified",
  "artifact_ownership_unverified",
  "artifact_provenance_invalid",
  "artifact_source_missing",
  "artifact_source_mismatch",
  "artifact_producer_missing",
  "artifact_producer_incomplete",
  "artifact_producer_failed",
  "contract_missing",
  "contract_parse_failed",
  "contract_incomplete",
  "contract_truncated",
  "contract_not_emitted",
  "trace_context_missing",
  "contract_recovered",
  "delivery_unconfirmed",
  "credit_before_persistence",
  "orphan_action",
  "clock_conflict",
  "ownership_unverified",
  "provenance_missing",
  "outcome_failed",
  "outcome_partial",
  "turn_failed",
  "turn_cancelled",
  "turn_open",
  "turn_unfinished",
  "order_not_established",
  "clock_ahead",
  "untrusted_contradiction",
] as const;
export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** Any finding of the judge. */
export type FindingCode = DiagnosticCode | GapCode;

/** The diagnostics (evidence: Diagnostics), with the triggers of its table. */
const diagnosticTexts: { readonly [K in DiagnosticCode]: FindingText } = {
  artifact_missing: text(
    0,
    "Artifact missing",
    "The intent expects an artifact of this type and none of it stands.",
    "Record the artifact where its persistence is known, under the intent's task.",
  ),
  artifact_persistence_unverified: text(
    0,
    "Artifact persistence unverified",
    "The latest record of the artifact does not state that it was persisted.",
    "Record persistence_verified after reading the artifact back.",
  ),
  artifact_ownership_unverified: text(
    0,
    "Artifact ownership unverified",
    "An ownership check of the artifact or of one of its sources failed.",
    "Check who owns the resource before it is used or shown.",
  ),
  artifact_provenance_invalid: text(
    0,
    "Artifact provenance invalid",
    "The artifact names no source, or a source whose provenance is missing.",
    "Name every source, or record source_independent where there is none by intention.",
  ),
  artifact_source_missing: text(
    0,
    "Authoritative source missing",
    "A source that the intent declares authoritative is not among the artifact's sources.",
    "Build the artifact from the declared source and name it.",
  ),
  artifact_source_mismatch: text(
    0,
    "Authoritative source mismatch",
    "The artifact rests on another resource or version than the intent declares.",
    "Build the artifact again from the declared version.",
  ),
  artifact_producer_missing: text(
    0,
    "Artifact producer missing",
    "No span of this task is the one that the artifact names as its producer.",
    "Record the artifact with the id of the span that produced it.",
  ),
  artifact_producer_incomplete: text(
    0,
    "Artifact producer incomplete",
    "The producing span has no result.",
    "End the producing span; look for a crash or a lost result.",
  ),
  artifact_producer_failed: text(
    0,
    "Artifact producer failed",
    "The producing span did not end successfully.",
    "Repeat the operation and record the new artifact.",
  ),
  contract_missing: text(
    0,
    "Contract missing",
    "A required contract has no record.",
    "Record the result of the parser for every required contract.",
  ),
  contract_parse_failed: text(
    0,
    "Contract parsing failed",
    "The latest record of the contract states that parsing failed or found nothing.",
    "Produce the output again, parse it, and deliver the replacement.",
  ),
  contract_incomplete: text(
    0,
    "Contract incomplete",
    "A marker of the contract is missing, or it was parsed in part.",
    "Produce the output again; look for a limit that cut it.",
  ),
  contract_truncated: text(
    0,
    "Contract truncated",
    "The output met its length limit.",
    "Raise the limit or request less, then produce it again.",
  ),
  contract_not_emitted: text(
    0,
    "Contract not emitted",
    "No emitted delivery follows the latest record of a required contract.",
    "Deliver what was parsed last and record the delivery.",
  ),
  trace_context_missing: text(
    0,
    "Trace context missing",
    "A worker went on without the carrier of its turn.",
    "Pass the carrier with the job and restore it in the worker.",
  ),
  contract_recovered: text(
    1,
    "Contract recovered",
    "The latest record of the contract needed recovery.",
    "Treat the result as partial, even where it can be rendered.",
  ),
  delivery_unconfirmed: text(
    1,
    "Delivery unconfirmed",
    "The delivery was emitted, and nothing acknowledges it.",
    "Record the acknowledgement where the receiver gives it.",
  ),
  credit_before_persistence: text(
    1,
    "Charged before persistence",
    "A credit was charged before the artifact's verified persistence.",
    "Charge after the artifact was read back.",
  ),
  orphan_action: text(
    1,
    "Action without intent",
    "An action with a side effect belongs to a task without an intent.",
    "Record the intent first and use one task id for both.",
  ),
  clock_conflict: text(
    1,
    "Clocks contradict each other",
    "The later of two deciding events was received before the earlier one's time, or an effect starts before its cause.",
    "Compare the clocks of the producers; judge again with corrected times.",
  ),
  ownership_unverified: text(
    0,
    "Ownership unverified",
    "An ownership check in the judged scope failed, and no later one before the delivery passed.",
    "Check who owns it, record the result, and deliver again.",
  ),
  provenance_missing: text(
    0,
    "Provenance missing",
    "Provenance in the judged scope is missing or failed, and nothing verified it before the delivery.",
    "Establish where it came from, record that, and deliver again.",
  ),
  outcome_failed: text(
    0,
    "Outcome failed",
    "The latest verified outcome of a source is that the task failed.",
    "Look at what failed; only that source's own later outcome clears it.",
  ),
  outcome_partial: text(
    1,
    "Outcome partial",
    "The latest verified outcome of a source is that the task was met in part, or not yet.",
    "Record the outcome again once the task is met; only that source's own later one clears it.",
  ),
  turn_failed: text(
    0,
    "Turn failed",
    "The latest attempt of the turn ended in error.",
    "Look at its error; run the turn again.",
  ),
  turn_cancelled: text(
    1,
    "Turn cancelled",
    "The latest attempt of the turn was cancelled or ended in part.",
    "Treat what it delivered as partial, or run the turn again.",
  ),
  turn_open: text(
    1,
    "Still open",
    "The turn, or what produces a requested artifact, began and has not ended yet.",
    "Wait: it is judged again when it ends or stops reporting.",
  ),
  turn_unfinished: text(
    0,
    "Never ended",
    "The turn, or what produces a requested artifact, began, never ended, and reports no more.",
    "Look for a crash of its process; run it again.",
  ),
  order_not_established: text(
    1,
    "Order not established",
    "Two producers report contrary states of one subject, and their times and receipts disagree.",
    "Record the later state again, or pass the carrier so that causality orders them.",
  ),
  clock_ahead: text(
    2,
    "Clock ahead",
    "A producer's times lie after their receipt; all its times were moved back by the difference.",
    "Correct the clock of that process.",
  ),
  untrusted_contradiction: text(
    2,
    "Untrusted evidence disagrees",
    "The evidence of producers that are not trusted would change the verdict.",
    "Find out why; trust the producer only if it may report on the turn.",
  ),
};

/** The text of any finding. */
export const findingTexts: { readonly [K in FindingCode]: FindingText } = {
  ...diagnosticTexts,
  ...gapTexts,
};

/** Variants of a code for which the code's own text would mislead. */
export type FindingVariant =
  | "delivery_refused"
  | "delivery_outdated"
  | "nothing_delivered"
  | "clock_ahead_decides";

/**
 * The text of those variants; the code is the same, and the priority unless the variant has its
 * own.
 */
export const variantTexts: {
  readonly [K in FindingVariant]: Omit<FindingText, "priority"> & { readonly priority?: Priority };
} = {
  clock_ahead_decides: {
    priority: 1,
    title: "Clock ahead where it decides",
    finding:
      "A producer's times lie after their receipt, and moving them back changes the verdict.",
    recommendation: "Correct the clock of that process, then deliver again.",
  },
  delivery_refused: {
    title: "Delivery refused",
    finding: "The delivery was emitted, and its receiver refused it.",
    recommendation: "Find out why the receiver refuses it, then deliver again.",
  },
  delivery_outdated: {
    title: "Older version delivered",
    finding: "The artifact changed after its last delivery; what stands now was not delivered.",
    recommendation: "Deliver the version that stands.",
  },
  nothing_delivered: {
    title: "Nothing delivered",
    finding: "A required contract has a record of its output, and no delivery is on record.",
    recommendation: "Deliver an output that was parsed and record the delivery.",
  },
};
