/**
 * @module Reading: how the oracle reads an event. The oracle imports nothing of the judge; it reads
 * plain records, takes every step by looking at all events again, and is slow by intention.
 */

/** A record of JSON. */
export type Json = { [name: string]: unknown };

/** A resource reference, as read. */
export interface Ref {
  readonly resource_type?: string;
  readonly ref?: string;
  readonly version?: string;
  readonly role?: string;
  readonly ownership_verified?: boolean;
  readonly provenance_status?: string;
}

/** The text of a field, or undefined. */
export function text(event: Json, field: string): string | undefined {
  const value = event[field];
  return typeof value === "string" ? value : undefined;
}

/** An attribute. */
export function attr(event: Json, name: string): unknown {
  return (event["attributes"] as Json | undefined)?.[name];
}

/** A list of references. */
export function refs(event: Json, list: "input_refs" | "output_refs"): readonly Ref[] {
  return (event[list] as readonly Ref[] | undefined) ?? [];
}

/** The events of one kind. */
export function ofKind(events: readonly Json[], ...kinds: readonly string[]): Json[] {
  return events.filter((event) => kinds.includes(String(event["event_kind"])));
}

/** The same resource, whatever its version. */
export function sameResource(one: Ref, other: Ref): boolean {
  return one.resource_type === other.resource_type && one.ref === other.ref;
}

/** The same version of the same resource. */
export function sameVersion(one: Ref, other: Ref): boolean {
  return sameResource(one, other) && one.version !== undefined && one.version === other.version;
}

const tuple = [
  "application_id",
  "agent_id",
  "user_id",
  "thread_id",
  "root_trace_id",
  "turn_id",
] as const;

/** evidence: Reconcile. Identity is the whole tuple, and NULL equals only NULL. */
export function sameTurn(one: Json, other: Json): boolean {
  return tuple.every((field) => one[field] === other[field]);
}

/** Evidence belongs to the application of its turn, that of the turn's first event. */
export function inTurnsApplication(events: readonly Json[]): Json[] {
  const began = (event: Json): string => text(event, "started_at") ?? String(event["timestamp"]);
  return events.map((event) => {
    const owners = ofKind(events, "turn").filter(
      (turn) =>
        turn["turn_id"] !== undefined &&
        turn["application_id"] !== undefined &&
        tuple.every((field) => field === "application_id" || turn[field] === event[field]),
    );
    const [owner] = owners.toSorted(
      (a, b) =>
        Date.parse(began(a)) - Date.parse(began(b)) ||
        (String(a["application_id"]) < String(b["application_id"]) ? -1 : 1),
    );
    if (owner === undefined || event["application_id"] === undefined) return event;
    return { ...event, application_id: owner["application_id"] };
  });
}

/** Splits events by turn. */
export function turnsOf(events: readonly Json[]): Json[][] {
  const turns: Json[][] = [];
  for (const event of events) {
    const turn = turns.find((known) => known[0] !== undefined && sameTurn(known[0], event));
    if (turn === undefined) turns.push([event]);
    else turn.push(event);
  }
  return turns;
}

/**
 * vocabulary: Envelopes: duplicates share their identity and event id, received spans their
 * principal, root and event id. The latest content stands, by timestamp, then by receipt.
 */
export function withoutDuplicates(events: readonly Json[]): Json[] {
  const kept: Json[] = [];
  for (const event of events) {
    const at = kept.findIndex((other) => isDuplicate(other, event));
    const other = kept[at];
    if (other === undefined) kept.push(event);
    else if (isNewer(event, other)) kept[at] = event;
  }
  return kept;
}

function isDuplicate(one: Json, other: Json): boolean {
  if (one["event_id"] !== other["event_id"]) return false;
  if (one["ingest_principal"] !== undefined && other["ingest_principal"] !== undefined) {
    return (
      one["ingest_principal"] === other["ingest_principal"] &&
      one["root_trace_id"] === other["root_trace_id"]
    );
  }
  return one["ingest_principal"] === other["ingest_principal"] && sameTurn(one, other);
}

function isNewer(one: Json, other: Json): boolean {
  const [a, b] = [instant(one, "timestamp") ?? 0, instant(other, "timestamp") ?? 0];
  if (a !== b) return a > b;
  return (instant(one, "received_at") ?? 0) > (instant(other, "received_at") ?? 0);
}

/** A time field in milliseconds, or undefined. */
export function instant(event: Json, field: string): number | undefined {
  const value = text(event, field);
  return value === undefined ? undefined : Date.parse(value);
}
