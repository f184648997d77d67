/**
 * @module EvidenceRows: windows by the text about charges, ownership, provenance, producers,
 * coverage and losses.
 */
import { again, model, task, taskWindow, update } from "./text-rows.ts";
import type { Row } from "./text-rows.ts";
import {
  artifact,
  as,
  at,
  delivery,
  intent,
  invoice,
  ledger,
  success,
  without,
  work,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** A charge at so many seconds. */
const charge = (second: number): Json =>
  at(second, "application_action", { credit_decision: "charged" }, { event_id: "charge" });

/** The rows. */
export const evidenceRows: readonly Row[] = [
  {
    rule: "4: charged before the persistence was verified",
    events: [...success(), charge(19)],
    status: "partial",
    diagnostics: ["credit_before_persistence"],
  },
  {
    rule: "4: charged afterwards",
    events: [...success(), charge(21)],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: charged between two versions of what was persisted",
    events: [...success(), charge(21), update(), again()],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: charged after the persistence; a record told again under another type is no other resource",
    events: [
      ...success(),
      charge(21),
      artifact(
        { artifact_type: "bill" },
        { event_id: "told-again", timestamp: "2026-11-21T08:00:39Z" },
      ),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: a side effect of a task that nobody intended",
    events: [
      ...taskWindow("a"),
      at(9, "application_action", { side_effect: true }, { event_id: "odd", ...task("b") }),
    ],
    status: "partial",
    diagnostics: ["orphan_action"],
  },
  {
    rule: "4: an action without a side effect is no orphan",
    events: [
      ...taskWindow("a"),
      at(9, "application_action", { side_effect: false }, { event_id: "odd", ...task("b") }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the ownership of a source failed",
    events: success({
      artifact: artifact({}, { input_refs: [{ ...ledger, ownership_verified: false }] }),
    }),
    status: "failed",
    diagnostics: ["artifact_ownership_unverified"],
  },
  {
    rule: "4: the ownership of the artifact failed",
    events: success({
      artifact: artifact({}, { output_refs: [invoice("1", { ownership_verified: false })] }),
    }),
    status: "failed",
    diagnostics: ["artifact_ownership_unverified"],
  },
  {
    rule: "4: the provenance of a source is missing",
    events: success({
      artifact: artifact({}, { input_refs: [{ ...ledger, provenance_status: "missing" }] }),
    }),
    status: "partial",
    diagnostics: ["artifact_provenance_invalid"],
  },
  {
    rule: "4: unverified provenance is not missing provenance",
    events: success({
      artifact: artifact({}, { input_refs: [{ ...ledger, provenance_status: "unverified" }] }),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "10: no sources",
    events: success({
      intent: intent({}, { input_refs: [] }),
      artifact: artifact({}, { input_refs: [] }),
    }),
    status: "partial",
    diagnostics: ["artifact_provenance_invalid"],
  },
  {
    rule: "10: source-free by intention, but the intent names an authoritative source",
    events: success({ artifact: artifact({ source_independent: true }, { input_refs: [] }) }),
    status: "partial",
    diagnostics: ["artifact_source_missing"],
  },
  {
    rule: "4: a source without the role need not match",
    events: success({
      intent: intent({}, { input_refs: [{ ...ledger, role: "background" }] }),
      artifact: artifact({}, { input_refs: [{ ...ledger, ref: "ledger-45", role: "background" }] }),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the authoritative source may be used under any role",
    events: success({
      artifact: artifact({}, { input_refs: [without(ledger, "role")] }),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: another version of the authoritative source",
    events: success({ artifact: artifact({}, { input_refs: [{ ...ledger, version: "11" }] }) }),
    status: "partial",
    diagnostics: ["artifact_source_mismatch"],
  },
  {
    rule: "4: the producer ended partially",
    events: success({ work: work({}, { status: "partial" }) }),
    status: ["partial", "failed"],
    diagnostics: ["artifact_producer_failed"],
  },
  {
    rule: "4: the producer only began",
    events: success({ work: work({}, { phase: "start", status: "started" }) }),
    status: "partial",
    diagnostics: ["artifact_producer_incomplete", "turn_open"],
  },
  {
    rule: "4: the artifact names no producer",
    events: success({ artifact: without(artifact(), "producing_span_id") }),
    status: "partial",
    diagnostics: ["artifact_producer_missing"],
  },
  {
    rule: "4: the producer is another tenant's span",
    events: success({ work: work({}, { user_id: "customer-9" }) }),
    status: "partial",
    diagnostics: ["artifact_producer_missing"],
  },
  {
    rule: "4: a worker lost its carrier",
    events: [...success(), at(5, "data_quality", { context_missing: true })],
    status: "partial",
    diagnostics: ["trace_context_missing"],
  },
  {
    rule: "3.8.2: a delivery that inherited its identity proves nothing",
    events: success({ delivery: delivery({}, { identity_derived: ["thread_id"] }) }),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "3.8.2: derived evidence satisfies a stage",
    events: [
      ...success({ intent: intent({ coverage_profile: "interactive_response" }) }),
      model(5, { model: "m" }, { identity_derived: ["thread_id", "turn_id"] }),
    ],
    status: "success",
    diagnostics: [],
    missing: [],
  },
  {
    rule: "9: a start is no result",
    events: [
      ...success({ intent: intent({ coverage_profile: "chat_response" }) }),
      model(5, { model: "m" }, { phase: "start", status: "started" }),
    ],
    status: "partial",
    diagnostics: [],
    missing: ["model_call_result"],
  },
  {
    rule: "9: the outcome alone may be missing",
    events: [
      ...success({ intent: intent({ coverage_profile: "content_derived_artifact" }) }),
      at(3, "memory_supply", { supplied_count: 0 }),
    ],
    status: "success",
    diagnostics: [],
    missing: ["outcome"],
  },
  {
    rule: "9: memory supply is a stage",
    events: success({ intent: intent({ coverage_profile: "content_derived_artifact" }) }),
    status: "partial",
    diagnostics: [],
    missing: ["memory_supply", "outcome"],
  },
  {
    rule: "9: a stage is checked per task",
    events: [
      ...taskWindow("a", { intent: intent({ coverage_profile: "interactive_response" }) }),
      model(5, { model: "m" }, task("b")),
    ],
    status: "partial",
    diagnostics: [],
    missing: ["model_call_result"],
  },
  {
    rule: "6.4: a producer that lost something",
    events: [...success(), at(58, "data_quality", { loss_created: 9, loss_dropped: 1 })],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "6.4: a producer that lost nothing",
    events: [...success(), at(58, "data_quality", { loss_created: 9, loss_dropped: 0 })],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3.8.6: something was sampled out",
    events: [...success(), at(58, "data_quality", { sampled_out: 2 })],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "3.8.4: a principal that may not assert acknowledgements",
    events: success({ delivery: delivery({}, { ingest_trusted: false }) }),
    status: "partial",
    diagnostics: ["contract_not_emitted", "untrusted_contradiction"],
  },
  {
    rule: "versioning: evidence of any schema version is evidence",
    events: as(success(), { schema_version: 1 }),
    status: "success",
    diagnostics: [],
  },
];
