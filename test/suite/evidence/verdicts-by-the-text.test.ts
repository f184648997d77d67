/**
 * Verdicts of windows that were written from the requirements and the design alone. Each row names
 * its rule, the status, and exactly the diagnostics of design 4 that hold.
 */
import { diagnosticCodes, reconcileOutcome } from "@turnproof/evidence";
import type { WindowMetadata } from "@turnproof/evidence";
import { expect, test } from "vitest";

import {
  artifact,
  as,
  at,
  contract,
  delivery,
  intent,
  invoice,
  ledger,
  renamed,
  success,
  turn,
  whole,
  without,
  work,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

interface Row {
  readonly rule: string;
  readonly events: readonly Json[];
  readonly status: string | readonly string[];
  /** The codes of the diagnostics table that hold, sorted; absent where the row is not about them. */
  readonly diagnostics?: readonly string[];
  readonly metadata?: WindowMetadata | null;
  readonly taskId?: string;
  readonly missing?: readonly string[];
}

const diagnostic: ReadonlySet<string> = new Set(diagnosticCodes);

const update = (attributes: Json = {}, extra: Json = {}): Json =>
  artifact(
    { artifact_status: "updated", ...attributes },
    {
      event_id: "update",
      timestamp: "2026-11-21T08:00:50Z",
      output_refs: [invoice("2")],
      ...extra,
    },
  );
const again = (attributes: Json = {}, extra: Json = {}): Json =>
  delivery(attributes, {
    event_id: "again",
    timestamp: "2026-11-21T08:00:59Z",
    input_refs: [invoice("2")],
    ...extra,
  });
const model = (second: number, attributes: Json, extra: Json = {}): Json =>
  at(second, "model_call", attributes, {
    event_id: `model-${second}`,
    phase: "result",
    span_id: `bbbbbbbbbbbbbb${second}`,
    ...extra,
  });
const task = (name: string): Json => ({ task_id: name });
/** The five events as a task's, with a producer of its own. */
const taskWindow = (name: string, changes: { [id: string]: Json | null } = {}): Json[] =>
  renamed(as(success(changes), task(name)), name).map((event) => {
    const span = `cccccccccccccc${name}`;
    if (event["span_id"] !== undefined) return { ...event, span_id: span };
    const attributes = event["attributes"] as Json;
    return attributes["producing_span_id"] === undefined
      ? event
      : { ...event, attributes: { ...attributes, producing_span_id: span } };
  });

const windows: Row[] = [
  { rule: "4 success: all five", events: success(), status: "success", diagnostics: [] },
  {
    rule: "1: a plain list is unverified",
    events: success(),
    metadata: null,
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "1: an untrusted reading",
    events: success(),
    metadata: { ...whole, read_completeness: "untrusted" },
    status: "partial",
  },
  {
    rule: "1: a reading of unknown completeness",
    events: success(),
    metadata: { ...whole, read_completeness: "unknown" },
    status: "partial",
  },
  {
    rule: "8: metadata that says nothing of completeness",
    events: success(),
    metadata: { truncated: false, normalization_errors: 0 },
    status: "partial",
  },
  {
    rule: "4 failed: only where the window is complete",
    events: success({ contract: contract({ parser_status: "failed" }) }),
    metadata: { ...whole, truncated: true },
    status: "partial",
    diagnostics: ["contract_parse_failed"],
  },
  { rule: "4 unknown: nothing at all", events: [], status: "unknown", diagnostics: [] },
  {
    rule: "4 unknown: a turn that only ran",
    events: [model(5, { model: "m" }), at(6, "turn", {}, { phase: "result" })],
    status: "unknown",
    diagnostics: [],
  },
  {
    rule: "4 partial: an intent alone",
    events: [intent()],
    status: "partial",
    diagnostics: ["artifact_missing", "contract_missing"],
  },
  {
    rule: "4 success needs artifact or contract evidence",
    events: [
      intent({ expected_artifact_types: [], required_contracts: [] }, { input_refs: [] }),
      delivery(),
    ],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4 success: a contract alone is evidence enough",
    events: [intent({ expected_artifact_types: [] }, { input_refs: [] }), contract(), delivery()],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4 success: an artifact alone is evidence enough",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      delivery: without(delivery(), "contract_name"),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "2: a deleted artifact does not satisfy",
    events: [
      ...success(),
      update({ artifact_status: "deleted" }, { output_refs: [invoice("1")] }),
      again({}, { input_refs: [invoice("1")] }),
    ],
    status: "partial",
    diagnostics: ["artifact_missing"],
  },
  {
    rule: "2: a failed update does not satisfy",
    events: [...success(), update({ artifact_status: "failed", persistence_verified: false })],
    status: "failed",
    diagnostics: ["artifact_persistence_unverified"],
  },
  {
    rule: "2, 3: an update that was delivered again",
    events: [...success(), update(), again()],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: an older acknowledgement cannot verify a newer revision",
    events: [...success(), update()],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "3: the newer delivery still names the older version",
    events: [...success(), update(), again({}, { input_refs: [invoice("1")] })],
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "3: a delivery that names both versions names the right one",
    events: [...success(), update(), again({}, { input_refs: [invoice("1"), invoice("2")] })],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: at or after, so in the same instant",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      delivery: without(delivery({}, { timestamp: "2026-11-21T08:00:20Z" }), "contract_name"),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: a nanosecond too early",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      artifact: artifact({}, { timestamp: "2026-11-21T08:00:40.000000001Z" }),
      delivery: without(delivery(), "contract_name"),
    }),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "transitions: a replacement parse without a fresh delivery",
    events: [
      ...success({ contract: contract({ parser_status: "failed" }) }),
      contract({}, { event_id: "reparse", timestamp: "2026-11-21T08:00:45Z" }),
    ],
    status: "partial",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "transitions: a replacement parse with a fresh delivery",
    events: [
      ...success({ contract: contract({ parser_status: "failed" }) }),
      contract({}, { event_id: "reparse", timestamp: "2026-11-21T08:00:45Z" }),
      again({}, { input_refs: [invoice("1")] }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "2: a later failed parse unmakes an earlier clean one",
    events: [
      ...success(),
      contract(
        { parser_status: "failed" },
        { event_id: "reparse", timestamp: "2026-11-21T08:00:45Z" },
      ),
      again({}, { input_refs: [invoice("1")] }),
    ],
    status: "failed",
    diagnostics: ["contract_parse_failed"],
  },
  {
    rule: "4: ties that would change the verdict resolve against it",
    events: [...success(), contract({ parser_status: "failed" }, { event_id: "tied" })],
    status: "failed",
    diagnostics: ["contract_parse_failed"],
  },
  {
    rule: "4: an intent without a turn never succeeds",
    events: success().map((event) => without(event, "turn_id")),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4: an intent without an agent never succeeds",
    events: success().map((event) => without(event, "agent_id")),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4: NULL equals NULL, so the anonymous scope can succeed",
    events: as(success(), { user_id: null }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: an unattributed delivery is not an anonymous one",
    events: as(success(), { user_id: null }).map((event) =>
      event["event_kind"] === "delivery" ? without(event, "user_id") : event,
    ),
    status: "partial",
  },
  {
    rule: "4: run and memory are no part of the tuple",
    events: success({ delivery: delivery({}, { run_id: "other", memory_id: "other" }) }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: two tasks, both good",
    events: [...taskWindow("a"), ...taskWindow("b")],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: with a task, the other may have failed",
    events: [...taskWindow("a"), ...taskWindow("b", { artifact: null })],
    taskId: "a",
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: without a task, every intent",
    events: [...taskWindow("a"), ...taskWindow("b", { artifact: null })],
    status: "partial",
    diagnostics: ["artifact_missing"],
  },
  {
    rule: "5: a task that nobody knows",
    events: taskWindow("a"),
    taskId: "z",
    status: "unknown",
    diagnostics: [],
  },
  {
    rule: "5: unlabelled evidence serves one labelled intent",
    events: success({ intent: intent({}, task("a")) }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: the same, asked for by its task",
    events: success({ intent: intent({}, task("a")) }),
    taskId: "a",
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: unlabelled evidence serves nobody where two intents could have it",
    events: [
      ...success({ intent: intent({}, task("a")) }),
      intent({}, { ...task("b"), event_id: "intent-b" }),
    ],
    status: "partial",
    diagnostics: ["artifact_missing", "contract_missing"],
  },
  {
    rule: "6: evidence of another task is not used",
    events: success({ artifact: artifact({}, task("z")) }),
    status: "partial",
    // The action carries no label, so it is the intent's and no producer of the other task.
    diagnostics: ["artifact_missing", "artifact_producer_missing"],
  },
  {
    rule: "5: two turns of one root are judged for themselves",
    events: [...success(), ...renamed(as(success(), { turn_id: "round-2" }), "2")],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "5: one turn's delivery does nothing for the other",
    events: [
      ...success(),
      ...renamed(as(success({ delivery: null }), { turn_id: "round-2" }), "2"),
    ],
    status: "partial",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "7: recovery is partial",
    events: success({ contract: contract({ recovery_used: true }) }),
    status: "partial",
    diagnostics: ["contract_recovered"],
  },
  {
    rule: "7: an opening marker is missing",
    events: success({ contract: contract({ opening_marker_found: false }) }),
    status: "partial",
    diagnostics: ["contract_incomplete"],
  },
  {
    rule: "7: the parser read a part",
    events: success({ contract: contract({ parser_status: "partial" }) }),
    status: "partial",
    diagnostics: ["contract_incomplete"],
  },
  {
    rule: "7: nothing was there to parse",
    events: success({ contract: contract({ parser_status: "missing" }) }),
    status: ["partial", "failed"],
    diagnostics: ["contract_parse_failed"],
  },
  {
    rule: "7: not emitted",
    events: success({ delivery: delivery({ emitted: false, acknowledged: null }) }),
    status: "failed",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "7: emitted, and nobody knows whether it arrived",
    events: success({ delivery: delivery({ acknowledged: null }) }),
    status: "partial",
    diagnostics: ["delivery_unconfirmed"],
  },
  {
    rule: "7: emitted and denied",
    events: success({ delivery: delivery({ acknowledged: false }) }),
    status: "failed",
    diagnostics: ["delivery_unconfirmed"],
  },
  {
    rule: "4: a contract that says that nobody requires it needs no delivery",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: contract({ required: false }, { timestamp: "2026-11-21T08:00:55Z" }),
    }),
    status: "success",
    diagnostics: [],
  },
  {
    rule: "3: a delivery follows the parsing of the contract that it carries",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: contract({}, { timestamp: "2026-11-21T08:00:55Z" }),
    }),
    status: "partial",
    diagnostics: [],
  },
  {
    rule: "4: a record may call itself required",
    events: success({
      intent: intent({ required_contracts: [] }),
      contract: contract({ required: true }, { timestamp: "2026-11-21T08:00:55Z" }),
    }),
    status: "partial",
    diagnostics: ["contract_not_emitted"],
  },
  {
    rule: "4: the producer of the text ended by length",
    events: [
      ...success(),
      model(25, { model: "m", finish_reason: ["length"] }, { span_id: "bbbbbbbbbbbbbb25" }),
    ],
    status: "partial",
    diagnostics: ["contract_truncated"],
  },
  {
    rule: "4: an earlier call ended by length, and a later one gave the text",
    events: [
      ...success(),
      model(15, { model: "m", finish_reason: ["length"] }),
      model(25, { model: "m", finish_reason: ["stop"] }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: a call after the record cannot have given its text",
    events: [
      ...success(),
      model(25, { model: "m", finish_reason: ["stop"] }),
      model(35, { model: "m", finish_reason: ["length"] }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the record's own parent is the call that gave the text",
    events: [
      ...success({ contract: contract({}, { parent_span_id: "bbbbbbbbbbbbbb15" }) }),
      model(15, { model: "m", finish_reason: ["length"] }),
      model(25, { model: "m", finish_reason: ["stop"] }),
    ],
    status: "partial",
    diagnostics: ["contract_truncated"],
  },
  {
    rule: "4: a call of another task gave another text",
    events: [...taskWindow("a"), model(25, { model: "m", finish_reason: ["length"] }, task("z"))],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the limit was met and both markers are there",
    events: [
      ...success({ contract: contract({ output_limit: 2200 }) }),
      model(25, { model: "m", finish_reason: ["stop"], response_chars: 2200 }),
    ],
    status: "success",
    diagnostics: [],
  },
  {
    rule: "4: the limit was met and the closing marker is missing",
    events: [
      ...success({ contract: contract({ output_limit: 2200, closing_marker_found: false }) }),
      model(25, { model: "m", finish_reason: ["stop"], response_chars: 2200 }),
    ],
    status: "partial",
    diagnostics: ["contract_incomplete", "contract_truncated"],
  },
  {
    rule: "4: charged before the persistence was verified",
    events: [
      ...success(),
      at(19, "application_action", { credit_decision: "charged" }, { event_id: "charge" }),
    ],
    status: "partial",
    diagnostics: ["credit_before_persistence"],
  },
  {
    rule: "4: charged afterwards",
    events: [
      ...success(),
      at(21, "application_action", { credit_decision: "charged" }, { event_id: "charge" }),
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
    diagnostics: ["artifact_producer_incomplete"],
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
    diagnostics: ["delivery_unconfirmed"],
  },
  {
    rule: "versioning: evidence of any schema version is evidence",
    events: as(success(), { schema_version: 1 }),
    status: "success",
    diagnostics: [],
  },
];

test.each(windows.map((row) => [row.rule, row] as const))("%s", (_rule, row) => {
  const { metadata = whole, events, taskId, status } = row;
  const options = { normalizationMetadata: metadata, taskId: taskId ?? null };
  const verdict = reconcileOutcome(events, options);
  const codes = new Set<string>(verdict.findings.map(({ code }) => code));
  const told = { status: verdict.status, diagnostics: [...codes].filter((c) => diagnostic.has(c)) };
  expect(typeof status === "string" ? [status] : status).toContain(told.status);
  if (row.diagnostics !== undefined) expect(told.diagnostics.toSorted()).toEqual(row.diagnostics);
  if (row.missing !== undefined) expect(verdict.missing_stages).toEqual(row.missing);
  expect(verdict.verified).toBe(verdict.status === "success");
  // What is no success says why, in a finding, a missing stage or a reason of its window.
  const reasons = [...verdict.findings, ...verdict.missing_stages, ...verdict.window.reasons];
  expect(reasons.length > 0 || ["success", "unknown"].includes(verdict.status)).toBe(true);
});

test("the identity of every window is the whole tuple", () => {
  for (const field of Object.keys(turn)) {
    const moved = success({ delivery: delivery({}, { [field]: "elsewhere" }) });
    const { status } = reconcileOutcome(moved, { normalizationMetadata: whole });
    expect([field, status]).toEqual([field, "partial"]);
  }
});
