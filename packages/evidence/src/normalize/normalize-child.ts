/**
 * @module NormalizeChild: reads one stored or posted event as a TurnEvent, or reports a finding
 * (evidence: Normalize). Children of versions 1 and 2 are read through tables of old names,
 * version 3 directly. Never throws on data; a present value is never read as absent.
 */
import {
  epochToTime,
  eventKinds,
  eventPhases,
  eventStatuses,
  identityFields,
  isRecord,
  legacyKinds,
  normalizeTime,
} from "@turnproof/semconv";
import type { EventKind, EventPhase, EventStatus, UntypedRecord } from "@turnproof/semconv";

import { readVersion } from "./bundle.ts";
import { readAttributes, readLegacyAttributes } from "./child-attributes.ts";
import type { AttributeReading } from "./child-attributes.ts";
import { addExtent, addOrigin, addPlacement, isTaskId } from "./child-fields.ts";
import type { PartialEvent } from "./child-fields.ts";
import { mergeIdentity, readIdentity, namesScope } from "./child-identity.ts";
import type { MutableIdentity } from "./child-identity.ts";
import { addResources } from "./child-resources.ts";
import type { SourceStore, TurnEvent } from "../event/event.ts";
import { readStatus } from "./legacy/words.ts";
import { isUsableId } from "./normalization-findings.ts";
import type { NormalizationCode } from "./normalization-findings.ts";

/** Context of a child, and the collector of findings. */
export interface ChildContext {
  /** Identity in the envelope. */
  readonly identity: MutableIdentity;
  /** Version of a child without one. */
  readonly version: number;
  readonly store: SourceStore;
  readonly receivedAt?: string;
  readonly report: (code: NormalizationCode, id?: unknown) => void;
}

const noAttributes: TurnEvent["attributes"] = Object.freeze({});

/** A kind with the phase that an older name implied. */
interface NamedKind {
  readonly name: string;
  readonly kind: EventKind;
  readonly phase: EventPhase | undefined;
}

const kindsByName: ReadonlyMap<unknown, NamedKind> = new Map<unknown, NamedKind>([
  ...eventKinds.map((kind) => [kind, { name: kind, kind, phase: undefined }] as const),
  ...Object.entries(legacyKinds).map(
    ([name, { kind, phase }]) => [name, { name, kind, phase }] as const,
  ),
]);
const statuses: ReadonlySet<unknown> = new Set(eventStatuses);
const phases: ReadonlySet<unknown> = new Set(eventPhases);

/** An event whose id may have to be derived. */
export type ChildReading = Omit<TurnEvent, "event_id"> & { readonly event_id?: string };

/** Reads one child; undefined when it was left out, with its fault reported. */
export function readChild(child: unknown, context: ChildContext): ChildReading | undefined {
  if (!isRecord(child)) return fault(context, "invalid_event");
  const version = readVersion(child["schema_version"] ?? context.version);
  if (version === undefined) return fault(context, "unsupported_schema", child["event_id"]);
  // An older event that was normalized before, e.g. an item of a page, has a dialect.
  const legacy = version !== 3 && child["dialect"] !== "legacy";
  const named = kindsByName.get(nameOf(child, legacy));
  const timestamp = timeOf(child, legacy);
  if (named === undefined || timestamp === undefined) {
    return fault(context, "invalid_event", child["event_id"]);
  }
  const identity = identityOf(child, legacy, context);
  if (identity === undefined) return undefined;
  const id = child["event_id"] ?? (legacy ? child["id"] : undefined) ?? undefined;
  const derivable = legacy || child["span_id"] !== undefined;
  if (id === undefined ? !derivable : !isUsableId(id)) return fault(context, "invalid_event_id");
  const { kind } = named;
  const status = statusOf(child, kind, legacy);
  const phase = phaseOf(child, named, status, legacy);
  const flawed = (): void => context.report("invalid_metadata", id);
  const partial: PartialEvent = {
    schema_version: version,
    event_kind: kind,
    phase,
    status: status ?? (phase === "start" ? "started" : "unknown"),
    timestamp,
    source_store: context.store,
    revision: 1,
    attributes: noAttributes,
  };
  // Single assignments instead of spreads: this runs for each of a million events.
  if (id !== undefined) partial.event_id = id as string;
  for (const field of identityFields) {
    const value = identity[field];
    if (value !== undefined) partial[field] = value as string;
  }
  if (!legacy && status === undefined && child["status"] !== undefined) flawed();
  if (!legacy && (child["phase"] ?? phase) !== phase) flawed();
  addTask(partial, child, context, id);
  addExtent(partial, child, legacy, flawed);
  addPlacement(partial, child, legacy, flawed);
  addOrigin(partial, child, legacy, flawed);
  if (partial.received_at === undefined && context.receivedAt !== undefined) {
    partial.received_at = context.receivedAt;
  }
  addAttributes(partial, child, legacy ? named.name : undefined, context, id);
  if (!addResources(partial, child, legacy)) context.report("invalid_source_ids", id);
  return partial as ChildReading;
}

function fault(context: ChildContext, code: NormalizationCode, id?: unknown): undefined {
  context.report(code, id);
  return undefined;
}

/** The name of the kind: older writers also called the field `event_type`, `kind` or `type`. */
function nameOf(child: UntypedRecord, legacy: boolean): unknown {
  return legacy
    ? (child["event_kind"] ?? child["event_type"] ?? child["kind"] ?? child["type"])
    : child["event_kind"];
}

/** The time of a child; epoch numbers only for older writers, and only with a clear unit. */
export function timeOf(record: UntypedRecord, legacy: boolean): string | undefined {
  const value = legacy
    ? (record["timestamp"] ??
      record["time"] ??
      record["ts"] ??
      record["created_at"] ??
      record["ended_at"] ??
      record["started_at"])
    : record["timestamp"];
  if (typeof value === "string") {
    return normalizeTime(value) ?? (legacy ? epochToTime(value) : undefined);
  }
  return legacy && typeof value === "number" ? epochToTime(value) : undefined;
}

function identityOf(
  child: UntypedRecord,
  legacy: boolean,
  context: ChildContext,
): MutableIdentity | undefined {
  const own = readIdentity(child, legacy);
  if (own.identity === undefined) return fault(context, "invalid_event", child["event_id"]);
  const outer = context.identity;
  // A legacy record without a tenant is anonymous; its children cannot change that.
  const around =
    legacy && outer.user_id === undefined && namesScope(outer)
      ? { ...outer, user_id: null }
      : outer;
  const merged = mergeIdentity(around, own.identity);
  if (merged.identity === undefined) {
    return fault(context, "child_identity_mismatch", child["event_id"]);
  }
  if (legacy && merged.identity.user_id === undefined) merged.identity.user_id = null;
  return merged.identity;
}

const lasting: ReadonlySet<EventKind> = new Set([
  "turn",
  "model_call",
  "tool_call",
  "plan",
  "memory_operation",
  "application_action",
  "queue_transition",
  "span",
]);

/** The recorded status; undefined when there is no usable one. */
function statusOf(child: UntypedRecord, kind: EventKind, legacy: boolean): EventStatus | undefined {
  const stated = child["status"] ?? nestedStatus(child, kind, legacy);
  return statuses.has(stated) ? (stated as EventStatus) : readStatus(stated);
}

/**
 * The recorded phase, else the one that the name implies, else the one inferred from the fields.
 */
function phaseOf(
  child: UntypedRecord,
  named: NamedKind,
  status: EventStatus | undefined,
  legacy: boolean,
): EventPhase {
  const stated = child["phase"];
  if (phases.has(stated)) return stated as EventPhase;
  return named.phase ?? inferPhase(child, named.kind, status, legacy);
}

/** Older results have their outcome in the data. */
function nestedStatus(child: UntypedRecord, kind: EventKind, legacy: boolean): unknown {
  if (!legacy) return undefined;
  const data = child["attributes"] ?? child["data"] ?? child["payload"];
  if (!isRecord(data)) return undefined;
  // The outcome of a tool is how its call ended; the outcome of a task is not the status of its
  // record.
  return (
    data["status"] ?? (kind === "tool_call" ? (data["outcome"] ?? child["outcome"]) : undefined)
  );
}

/** A call with an outcome or a duration has ended; otherwise older names meant the start. */
function inferPhase(
  child: UntypedRecord,
  kind: EventKind,
  status: EventStatus | undefined,
  legacy: boolean,
): EventPhase {
  if (!lasting.has(kind)) return "event";
  if (status === "started") return "start";
  const ended = status !== undefined || child["duration_ms"] !== undefined;
  return legacy && !ended ? "start" : "result";
}

/** The task is on the event or among its attributes; two different values count as none. */
function addTask(
  partial: PartialEvent,
  child: UntypedRecord,
  context: ChildContext,
  id: unknown,
): void {
  const attributes = child["attributes"];
  const inner = isRecord(attributes) ? (attributes["task_id"] ?? undefined) : undefined;
  const task = child["task_id"] ?? inner;
  if (task === undefined) return;
  if (isTaskId(task) && (inner === undefined || inner === task)) partial.task_id = task;
  else context.report("invalid_task_id", id);
}

function addAttributes(
  partial: PartialEvent,
  child: UntypedRecord,
  legacyName: string | undefined,
  context: ChildContext,
  id: unknown,
): void {
  const kind = partial.event_kind as EventKind;
  const reading: AttributeReading =
    legacyName === undefined
      ? readAttributes(child["attributes"], kind)
      : readLegacyAttributes(child, kind);
  if (reading.refused) context.report("invalid_metadata", id);
  if (reading.sourcesRefused) context.report("invalid_source_ids", id);
  partial.attributes = reading.attributes;
  // These two names imply it: only verified outcomes and persisted artifacts had them.
  if (legacyName === "verified_outcome" && partial.attributes.verified === undefined) {
    partial.attributes = { ...partial.attributes, verified: true };
  }
  if (legacyName === "artifact_persisted" && partial.attributes.artifact_status === undefined) {
    const artifact_status = partial.status === "error" ? "failed" : "created";
    partial.attributes = { ...partial.attributes, artifact_status };
  }
}
