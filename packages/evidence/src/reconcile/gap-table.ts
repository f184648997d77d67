/** @module GapTable: texts for what prevents a success where no diagnostic covers it. */
import { text } from "./finding-text.ts";
import type { FindingText } from "./finding-text.ts";

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
  "intent_after_delivery",
] as const;
export type GapCode = (typeof gapCodes)[number];

/** Gaps, reported only where no diagnostic covers them. */
export const gapTexts: { readonly [K in GapCode]: FindingText } = {
  intent_missing: text(
    1,
    "Intent missing",
    "There is evidence of a result and no intent that requested it.",
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
    "The latest record of the contract does not state how parsing ended.",
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
    "The latest delivery was not emitted, or does not state it.",
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
  intent_after_delivery: text(
    0,
    "Intent after its delivery",
    "The intent was recorded after the delivery that should satisfy it.",
    "Record the intent at the start of the task.",
  ),
};
