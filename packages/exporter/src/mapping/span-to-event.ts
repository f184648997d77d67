/**
 * @module Span to event: the single mapping of spans, received or exported in process (vocabulary:
 * From a span to an event). Pure and deterministic: the same record and context give the same
 * event, byte for byte. Identity is stored as recorded; evidence resolves it over the root.
 */
import type { EventAttributeMap, TurnEvent } from "@turnproof/evidence";
import {
  eventPhases,
  instantOf,
  ledgerFromLists,
  millisecondsBetween,
  nineDigits,
  refsFromLists,
} from "@turnproof/semconv";
import type { EventKind, EventPhase, NanoInstant } from "@turnproof/semconv";

import { decideKind } from "./kind-decision.ts";
import type { KindDecision } from "./kind-decision.ts";
import { operationOf } from "./operation.ts";
import { SpanReading } from "./span-reading.ts";
import type { KeyIdentity } from "./span-reading.ts";
import { statedByName } from "./span-name.ts";
import { rowAt, workflowOperation } from "./sources.ts";
import type { CurrentSpan } from "./span-record.ts";
import { statusOf, toolOutcomeOf } from "./status.ts";

/** Fields that the receiver adds to a span. */
export interface MappingContext {
  /** Time of receipt, ISO 8601 UTC. */
  readonly receivedAt: string;
  readonly ingestPrincipal?: string;
  /** False when that principal may not assert verification; absent: it may. */
  readonly ingestTrusted?: boolean;
  /** Keys an identity that is not opaque; without it such an identity is dropped and counted. */
  readonly keyIdentity?: KeyIdentity;
}

type Draft = { -readonly [K in keyof TurnEvent]: TurnEvent[K] };

/** Version of the events that this build writes. */
export const eventSchemaVersion = 3;

/** Kinds with a duration; every other kind is a point in time unless its span has an end. */
const lasting: ReadonlySet<EventKind> = new Set([
  "turn",
  "model_call",
  "tool_call",
  "plan",
  "memory_operation",
  "memory_retrieval",
  "application_action",
  "queue_transition",
  "span",
] as const);

/** Event id of a start marker: it contains the id of the marked span. */
const markerId = /^([0-9a-f]{16}):start$/;

const reading = new SpanReading();

/** Maps one span. Never throws on data; refusals are counted under `dropped`. */
export function spanToEvent(span: CurrentSpan, context: MappingContext): TurnEvent {
  const decision = decideKind(span);
  reading.begin(decision.kind, span.dropped, context.keyIdentity);
  // A span's own value precedes its resource: a job that continues a turn by carrier names the
  // turn's application, while its own process is another service.
  const { coded } = span;
  if (coded === undefined) reading.readAll(span.attributes, decision.plan.sources);
  else reading.readCoded(coded, decision.plan.byCode);
  reading.readAll(span.resource, decision.plan.sources);
  const start = instantOf(span.startTimeUnixNano);
  const end = instantOf(span.endTimeUnixNano);
  const phase = phaseOf(decision.kind, end !== undefined);
  conclude(span, decision, phase);
  const draft = begin(span, decision, phase, context);
  addTimes(draft, start, end, context);
  addIdentity(draft);
  addPlace(draft, span);
  addProducer(draft, decision, context);
  addLists(draft);
  draft.attributes = attributesOf(decision.kind, phase);
  const dropped = reading.dropped();
  if (dropped !== undefined) draft.dropped = dropped;
  return draft;
}

function phaseOf(kind: EventKind, ended: boolean): EventPhase {
  const own = reading.text(rowAt.phase);
  if (own !== undefined && (eventPhases as readonly string[]).includes(own)) {
    return own as EventPhase;
  }
  if (!ended) return "start";
  return lasting.has(kind) ? "result" : "event";
}

/** Derived values: the class of an error, the operation, the total, the outcome. */
function conclude(span: CurrentSpan, decision: KindDecision, phase: EventPhase): void {
  if (decision.operation !== undefined) reading.conclude("genai_operation", decision.operation);
  const name = statedByName(span, decision);
  if (name !== undefined) reading.offer(name.to, name.text);
  const status = statusOf(span, decision, phase, reading);
  // A wrapper repeats the error of an inner span; one failure is counted once.
  const wraps = decision.kind === "span" && decision.plan.dialect !== "structural";
  if (wraps) reading.forget(rowAt.error_type);
  else if (status === "error" && span.exceptionType !== undefined) {
    reading.conclude("error_type", span.exceptionType);
  }
  const firstChunk = reading.get(rowAt.time_to_first_chunk);
  if (typeof firstChunk === "number") reading.conclude("ttft_ms", firstChunk * 1_000);
  reading.conclude("status", status);
  if (decision.kind !== "tool_call") return;
  const outcome = toolOutcomeOf(status, reading);
  if (outcome !== undefined) reading.conclude("tool_outcome", outcome);
}

function begin(
  span: CurrentSpan,
  decision: KindDecision,
  phase: EventPhase,
  context: MappingContext,
): Draft {
  const eventId = reading.text(rowAt.event_id);
  const draft: Draft = {
    schema_version: eventSchemaVersion,
    event_id: eventId ?? `${span.spanId}:${phase}`,
    event_kind: decision.kind,
    operation: operationOf(span, decision, reading),
    phase,
    status: reading.text(rowAt.status) as TurnEvent["status"],
    timestamp: "",
    received_at: context.receivedAt,
    span_id: (phase === "start" && eventId && markerId.exec(eventId)?.[1]) || span.spanId,
    root_trace_id: span.traceId,
    dialect: decision.plan.dialect,
    attributes: {},
  };
  return draft;
}

function addTimes(
  draft: Draft,
  start: NanoInstant | undefined,
  end: NanoInstant | undefined,
  context: MappingContext,
): void {
  if (start === undefined || start.clamped || end?.clamped === true) reading.drop("time_clamped");
  const last = draft.phase === "start" ? start : (end ?? start);
  draft.timestamp =
    (draft.phase === "event" ? statedTime() : undefined) ??
    last?.text ??
    nineDigits(context.receivedAt);
  if (start === undefined) return;
  if (draft.phase !== "event") draft.started_at = start.text;
  if (draft.phase !== "start" && end !== undefined) addDuration(draft, start, end);
}

/** The recorded time of a point in time, when it is a valid date. */
function statedTime(): string | undefined {
  const text = reading.text(rowAt.timestamp);
  if (text === undefined) return undefined;
  if (!Number.isNaN(Date.parse(text))) return text.replace(/[+-]00:00$/, "Z");
  reading.drop("time_clamped");
  return undefined;
}

function addDuration(draft: Draft, start: NanoInstant, end: NanoInstant): void {
  const elapsed = millisecondsBetween(start, end);
  if (elapsed === undefined) reading.drop("time_clamped");
  else if (draft.phase === "result" || elapsed > 0) {
    draft.started_at = start.text;
    draft.duration_ms = elapsed;
  }
}

/** The identity that the span itself has; three states of the tenant (vocabulary: Identity). */
function addIdentity(draft: Draft): void {
  // One line per field, because a loop over names costs as much as the guard.
  const application = reading.text(rowAt.application_id);
  if (application !== undefined) draft.application_id = application;
  // Libraries have no agent id except the name (vocabulary: From a span to an event).
  const agent = reading.text(rowAt.agent_id) ?? reading.text(rowAt.agent_name);
  if (agent !== undefined) {
    draft.agent_id = agent;
    if (givesWay(draft.event_kind)) draft.identity_derived = ["agent_id"];
  }
  const user = reading.text(rowAt.user_id);
  if (user !== undefined) draft.user_id = user;
  else if (reading.text(rowAt.scope) === "anonymous") draft.user_id = null;
  const memory = reading.text(rowAt.memory_id);
  if (memory !== undefined) draft.memory_id = memory;
  const thread = reading.text(rowAt.thread_id);
  if (thread !== undefined) draft.thread_id = thread;
  const run = reading.text(rowAt.run_id);
  if (run !== undefined) draft.run_id = run;
  const turn = reading.text(rowAt.turn_id);
  if (turn !== undefined) draft.turn_id = turn;
  const task = reading.text(rowAt.task_id);
  if (task !== undefined) draft.task_id = task;
  const external = reading.text(rowAt.external_id);
  if (external !== undefined) draft.external_id = external;
  const cause = reading.text(rowAt.caused_by_event_id);
  if (cause !== undefined) draft.caused_by_event_id = cause;
}

/**
 * True for an agent that the surrounding turn may replace: libraries write names on tools and
 * model calls, and use a workflow's name for an agent. Our own attribute is never replaced.
 */
function givesWay(kind: EventKind): boolean {
  if (reading.isOwn(rowAt.agent_id) && reading.text(rowAt.agent_id) !== undefined) return false;
  return kind !== "turn" || reading.text(rowAt.genai_operation) === workflowOperation;
}

function addPlace(draft: Draft, span: CurrentSpan): void {
  if (span.parentSpanId !== undefined) draft.parent_span_id = span.parentSpanId;
  if (span.parentRemote === true) draft.parent_remote = true;
  if (span.links === undefined || span.links.length === 0) return;
  draft.links = span.links.map((link) => ({ trace_id: link.traceId, span_id: link.spanId }));
}

function addProducer(draft: Draft, decision: KindDecision, context: MappingContext): void {
  const component = reading.text(rowAt.component);
  if (component !== undefined) draft.component = component;
  const producer = reading.text(rowAt.producer_id);
  const seq = reading.get(rowAt.producer_seq);
  if (producer !== undefined) draft.producer_id = producer;
  if (typeof seq === "number") draft.producer_seq = seq;
  if (context.ingestPrincipal !== undefined) draft.ingest_principal = context.ingestPrincipal;
  if (context.ingestTrusted === false || decision.isTrusted === false) draft.ingest_trusted = false;
}

/** The list at an index, of the type that its row was screened for. */
function list(at: number): never {
  return reading.get(at) as never;
}

function addLists(draft: Draft): void {
  if (reading.hasRefs) {
    const inputs = refsFromLists({
      types: list(rowAt.input_types),
      refs: list(rowAt.input_refs),
      versions: list(rowAt.input_versions),
      roles: list(rowAt.input_roles),
      ownership: list(rowAt.input_ownership),
      provenance: list(rowAt.input_provenance),
    });
    if (inputs.length > 0) draft.input_refs = inputs;
    const outputs = refsFromLists({
      types: list(rowAt.output_types),
      refs: list(rowAt.output_refs),
      versions: list(rowAt.output_versions),
      roles: list(rowAt.output_roles),
      ownership: list(rowAt.output_ownership),
      provenance: list(rowAt.output_provenance),
    });
    if (outputs.length > 0) draft.output_refs = outputs;
  }
  if (!reading.hasLedger) return;
  const ledger = ledgerFromLists({
    types: list(rowAt.ledger_types),
    refs: list(rowAt.ledger_refs),
    ranks: list(rowAt.ledger_ranks),
    scores: list(rowAt.ledger_scores),
    selected: list(rowAt.ledger_selected),
    reasons: list(rowAt.ledger_reasons),
  });
  if (ledger.length > 0) draft.selection_ledger = ledger;
}

/**
 * A delivery without a recorded acknowledgement has it as an explicit unknown (requirements: Host
 * recorder).
 */
function attributesOf(kind: EventKind, phase: EventPhase): EventAttributeMap {
  const attributes: Record<string, unknown> = reading.attributes();
  if (kind === "delivery" && phase !== "start") attributes["acknowledged"] ??= null;
  return attributes;
}
