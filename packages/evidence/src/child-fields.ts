/**
 * @module ChildFields: an event's own fields beyond kind, time and identity: extent, place in the
 * trace, and where it came from. A field that is present with an unusable value is left out and
 * called a flaw; an absent one stays absent.
 */
import { attribute, dialects, operationPattern, screenValue } from "@turnproof/semconv";
import type { Dialect } from "@turnproof/semconv";

import { identityFields } from "./event.ts";
import type { SpanLink, TurnEvent } from "./event.ts";
import { isUsableId } from "./normalization-findings.ts";
import { isRecord } from "./resource-reading.ts";
import { compareTimes, elapsedMs, epochToTime, normalizeTime } from "./time.ts";

type Loose = Readonly<Record<string, unknown>>;
/** An event while it is read. */
export type EventDraft = { -readonly [K in keyof TurnEvent]?: TurnEvent[K] } & {
  attributes: TurnEvent["attributes"];
};
type Flaw = () => void;

/** The first of several names that holds anything. */
function first(record: Loose, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** When it began and how long it took; older writers also gave seconds and an end. */
export function addExtent(draft: EventDraft, child: Loose, legacy: boolean, flaw: Flaw): void {
  const read = (value: unknown): string | undefined => {
    if (typeof value === "string") {
      return normalizeTime(value) ?? (legacy ? epochToTime(value) : undefined);
    }
    return legacy && typeof value === "number" ? epochToTime(value) : undefined;
  };
  const start = first(child, legacy ? ["started_at", "start_time"] : ["started_at"]);
  const startedAt = read(start);
  if (startedAt !== undefined) draft.started_at = startedAt;
  else if (start !== undefined) flaw();
  const received = child["received_at"] ?? undefined;
  const receivedAt = read(received);
  if (receivedAt !== undefined) draft.received_at = receivedAt;
  else if (received !== undefined) flaw();
  const endedAt = legacy ? read(first(child, ["ended_at", "end_time"])) : undefined;
  if (endedAt !== undefined && draft.phase === "result") draft.timestamp = endedAt;
  const duration = durationOf(child, legacy);
  if (duration === undefined) {
    if (endedAt !== undefined && startedAt !== undefined && compareTimes(endedAt, startedAt) >= 0) {
      const elapsed = elapsedMs(startedAt, endedAt);
      if (elapsed !== undefined) draft.duration_ms = elapsed;
    }
  } else if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) {
    draft.duration_ms = duration;
  } else flaw();
}

function durationOf(child: Loose, legacy: boolean): unknown {
  if (!legacy) return child["duration_ms"] ?? undefined;
  const places = [child, child["attributes"], child["data"]].filter(isRecord);
  for (const place of places) {
    const ms = first(place, ["duration_ms", "elapsed_ms", "latency_ms"]);
    if (ms !== undefined) return ms;
    const seconds = first(place, ["duration_seconds", "duration_s"]);
    if (typeof seconds === "number") return seconds * 1000;
  }
  return undefined;
}

/** Where it stands among the spans. */
export function addPlacement(draft: EventDraft, child: Loose, legacy: boolean, flaw: Flaw): void {
  const place = (
    name: "span_id" | "parent_span_id" | "caused_by_event_id",
    older: string,
  ): void => {
    const value = child[name] ?? (legacy ? child[older] : undefined) ?? undefined;
    if (isUsableId(value)) draft[name] = value;
    else if (value !== undefined) flaw();
  };
  place("span_id", "span");
  place("parent_span_id", "parent_id");
  place("caused_by_event_id", "caused_by");
  if (typeof child["parent_remote"] === "boolean") draft.parent_remote = child["parent_remote"];
  const links = child["links"];
  if (links === undefined || links === null) return;
  const read = Array.isArray(links) ? links.slice(0, 32).flatMap(readLink) : [];
  if (read.length > 0) draft.links = read;
  if (!Array.isArray(links) || read.length < links.length) flaw();
}

function readLink(link: unknown): SpanLink[] {
  if (!isRecord(link) || !isUsableId(link["trace_id"]) || !isUsableId(link["span_id"])) return [];
  return [{ trace_id: link["trace_id"], span_id: link["span_id"] }];
}

const originTexts = ["external_id", "ingest_principal", "producer_id"] as const;
const componentPattern = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,119}$/;

/** Where it came from and under which names; a foreign operation name is content. */
export function addOrigin(draft: EventDraft, child: Loose, legacy: boolean, flaw: Flaw): void {
  for (const name of originTexts) {
    const value = child[name] ?? undefined;
    if (isUsableId(value)) draft[name] = value;
    else if (value !== undefined) flaw();
  }
  const operation = child["operation"] ?? undefined;
  if (typeof operation === "string" && isOperation(operation)) draft.operation = operation;
  else if (operation !== undefined && !legacy) flaw();
  const component = child["component"] ?? undefined;
  if (typeof component === "string" && componentPattern.test(component))
    draft.component = component;
  else if (component !== undefined && !legacy) flaw();
  if (typeof child["ingest_trusted"] === "boolean") draft.ingest_trusted = child["ingest_trusted"];
  addCounters(draft, child, flaw);
  if (legacy) {
    draft.dialect = "legacy";
    return;
  }
  const dialect = child["dialect"] ?? undefined;
  if ((dialects as readonly unknown[]).includes(dialect)) draft.dialect = dialect as Dialect;
  else if (dialect !== undefined) flaw();
  addDerived(draft, child, flaw);
}

/** Names like `chat claude-4`: an operation, and at most a subject that could be an agent or model. */
function isOperation(text: string): boolean {
  const space = text.indexOf(" ");
  if (!operationPattern.test(space === -1 ? text : text.slice(0, space))) return false;
  const subject = text.slice(space + 1);
  return (
    space === -1 ||
    screenValue(attribute.agent_name, subject) === undefined ||
    screenValue(attribute.model, subject) === undefined
  );
}

function addCounters(draft: EventDraft, child: Loose, flaw: Flaw): void {
  for (const name of ["producer_seq", "revision"] as const) {
    const value = child[name] ?? undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) draft[name] = value;
    else if (value !== undefined) flaw();
  }
  const dropped = child["dropped"] ?? undefined;
  if (dropped === undefined) return;
  const counts = isRecord(dropped) ? Object.entries(dropped) : [];
  const known = counts.filter(
    ([code, count]) => /^[a-z_]{1,64}$/.test(code) && Number.isSafeInteger(count),
  );
  if (known.length > 0) draft.dropped = Object.fromEntries(known) as Record<string, number>;
  if (!isRecord(dropped) || known.length < counts.length) flaw();
}

function addDerived(draft: EventDraft, child: Loose, flaw: Flaw): void {
  const derived = child["identity_derived"] ?? undefined;
  if (derived === undefined) return;
  const named = new Set<unknown>(Array.isArray(derived) ? derived : []);
  const known = identityFields.filter((field) => named.has(field));
  if (known.length > 0) draft.identity_derived = known;
  if (!Array.isArray(derived) || known.length < named.size) flaw();
}
