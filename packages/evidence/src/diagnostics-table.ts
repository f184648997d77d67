/**
 * @module DiagnosticsTable: what each finding of the judge means, in words, with its priority
 * (design 4: Diagnostics). The second table names what keeps a verdict from being a success where
 * no diagnostic says it already. Words only: no sentence ever holds a value.
 */

/** 0 blocks and needs a person, 1 blocks, 2 informs. */
export type Priority = 0 | 1 | 2;

/** Codes of the diagnostics table of design 4. */
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
] as const;
export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** Codes of gaps that no diagnostic covers. */
export const gapCodes = [
  "intent_missing",
  "intent_identity_incomplete",
  "evidence_missing",
  "artifact_identity_derived",
  "artifact_version_unknown",
  "contract_unparsed",
  "contract_unrecorded",
  "delivery_missing",
  "delivery_not_emitted",
  "delivery_artifact_unnamed",
  "delivery_version_mismatch",
  "delivery_precedes_evidence",
  "delivery_identity_derived",
] as const;
export type GapCode = (typeof gapCodes)[number];

/** Any finding of the judge. */
export type FindingCode = DiagnosticCode | GapCode;

/** The words of one finding. */
export interface FindingText {
  readonly priority: Priority;
  readonly title: string;
  readonly finding: string;
  readonly recommendation: string;
}

/** The words of a finding in the order in which they are read. */
export function text(
  priority: Priority,
  title: string,
  finding: string,
  recommendation: string,
): FindingText {
  return { priority, title, finding, recommendation };
}

/** The diagnostics of design 4, each with exactly the trigger of its row. */
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
    "The latest record of the artifact does not say that it was persisted.",
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
    "Name every source, or say source_independent where there is none by intention.",
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
    "The latest record of the contract says that parsing failed or found nothing.",
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
    "Raise the limit or ask for less, then produce it again.",
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
    "Sequence or receipt contradicts the time order of events that decide the verdict.",
    "Compare the clocks of the producers; judge again with corrected times.",
  ),
};

/** What else keeps a verdict from success, said only where no diagnostic covers it. */
const gapTexts: { readonly [K in GapCode]: FindingText } = {
  intent_missing: text(
    1,
    "Intent missing",
    "There is evidence of a result and no intent that asked for it.",
    "Record the intent at the start of the task.",
  ),
  intent_identity_incomplete: text(
    0,
    "Intent identity incomplete",
    "The intent lacks its agent, thread, turn or root.",
    "Record the intent inside the turn, with its whole identity.",
  ),
  evidence_missing: text(
    0,
    "Evidence missing",
    "No valid artifact or contract stands for the intent.",
    "Record what the task produced.",
  ),
  artifact_identity_derived: text(
    0,
    "Artifact identity derived",
    "The artifact inherited its identity, and inherited identity proves no ownership.",
    "Record the artifact with an identity of its own.",
  ),
  artifact_version_unknown: text(
    0,
    "Artifact version unknown",
    "The artifact names no version, so no delivery can identify it.",
    "Name the version of the persisted resource.",
  ),
  contract_unparsed: text(
    0,
    "Contract result unknown",
    "The latest record of the contract does not say how parsing ended.",
    "Record parser_status with every result.",
  ),
  contract_unrecorded: text(
    0,
    "Contract unrecorded",
    "A delivery names a contract of which there is no record.",
    "Record the result of the parser before the delivery.",
  ),
  delivery_missing: text(
    0,
    "Delivery missing",
    "No delivery of the task is on record.",
    "Record the delivery where it is emitted.",
  ),
  delivery_not_emitted: text(
    0,
    "Delivery not emitted",
    "The latest delivery was not emitted, or does not say so.",
    "Deliver again and record the emission.",
  ),
  delivery_artifact_unnamed: text(
    0,
    "Artifact not delivered",
    "No delivery names the artifact.",
    "Name the artifact and its version in the delivery.",
  ),
  delivery_version_mismatch: text(
    0,
    "Another version delivered",
    "The latest delivery of the artifact names another version than the one that stands.",
    "Deliver the version that stands.",
  ),
  delivery_precedes_evidence: text(
    0,
    "Delivered too early",
    "The delivery precedes the persistence or the parsing that it should follow.",
    "Deliver again after the artifact was persisted and parsed.",
  ),
  delivery_identity_derived: text(
    0,
    "Delivery identity derived",
    "The delivery inherited its identity, and inherited identity proves no delivery.",
    "Record the delivery with an identity of its own.",
  ),
};

/** The words of any finding. */
export const findingTexts: { readonly [K in FindingCode]: FindingText } = {
  ...diagnosticTexts,
  ...gapTexts,
};

/** What tells one case of a code from its others, where the code's own words would mislead. */
export type FindingVariant = "delivery_refused" | "delivery_outdated" | "nothing_delivered";

/** The words of those cases; priority and code stay the code's own. */
export const variantTexts: { readonly [K in FindingVariant]: Omit<FindingText, "priority"> } = {
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
    finding: "The output of a required contract was parsed, and no delivery is on record.",
    recommendation: "Deliver what was parsed last and record the delivery.",
  },
};
