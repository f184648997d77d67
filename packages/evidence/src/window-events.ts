/**
 * @module WindowEvents: any array as the events of a window. What already is an event is taken as
 * it is, the rest goes through the normalizer, and copies are set aside.
 */
import { areDistinct, dedupeEvents, withRevision } from "./dedupe.ts";
import { isTurnEvent } from "./event-shape.ts";
import type { TurnEvent } from "./event.ts";
import { createGrouping, groupByIdentity } from "./identity-tuple.ts";
import type { IdentityGroups } from "./identity-tuple.ts";
import { normalizeEvents } from "./normalize.ts";
import { later } from "./time.ts";
import { inTurnApplication } from "./turn-application.ts";
import { isUntrusted } from "./untrusted.ts";

/** Readable events, each once, and what had to be left out. */
export interface WindowEvents {
  readonly events: readonly TurnEvent[];
  /** The events by identity: found once, and shared by every step over the window. */
  readonly groups: IdentityGroups;
  /** Findings of the normalizer. Any of them makes a window untrusted. */
  readonly rejected: number;
  readonly duplicatesRemoved: number;
  /** What producers and doors report of themselves: the events of kind `data_quality`. */
  readonly reports: readonly TurnEvent[];
  /** The latest receipt among the events, null where none says. */
  readonly receivedAt: string | null;
  /** Whether any of it, readable or not, comes from a producer that is not trusted. */
  readonly untrusted: boolean;
}

/** Reads a window; never throws on data. */
export function readWindow(input: readonly unknown[]): WindowEvents {
  const values: readonly unknown[] = Array.isArray(input) ? input : [];
  const read = readDistinct(values) ?? readAny(values);
  if (!hasSeveralApplications(read.groups)) return read;
  const events = inTurnApplication(read.events);
  return events === read.events ? read : { ...read, events, groups: groupByIdentity(events) };
}

/** True when more than one application speaks: only then an event may be of another one's turn. */
function hasSeveralApplications({ tuples }: IdentityGroups): boolean {
  const first = tuples.find(({ application_id: id }) => id !== undefined)?.application_id;
  return tuples.some(({ application_id: id }) => id !== undefined && id !== first);
}

/**
 * A window of readable events without copies, which most windows are, in one pass over the events
 * and one over their ids; undefined for any other.
 */
function readDistinct(values: readonly unknown[]): WindowEvents | undefined {
  const grouping = createGrouping(values.length);
  const reports: TurnEvent[] = [];
  let receivedAt: string | null = null;
  let revised = true;
  let untrusted = false;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    if (!isReadable(value)) return undefined;
    // Copies of a received span are told by its principal, whatever tuple they stand in.
    if (value.ingest_principal !== undefined) return undefined;
    if (value.revision === undefined) revised = false;
    if (value.ingest_trusted === false) untrusted = true;
    if (value.event_kind === "data_quality") reports.push(value);
    receivedAt = later(receivedAt, value.received_at);
    grouping.add(value);
  }
  const groups = grouping.done();
  const events = values as readonly TurnEvent[];
  if (!areDistinct(events, groups)) return undefined;
  return {
    events: revised ? events : events.map(withRevision),
    groups,
    rejected: 0,
    duplicatesRemoved: 0,
    reports,
    receivedAt,
    untrusted,
  };
}

/**
 * The window of events that were settled: resolved over their whole roots, each once and with its
 * revision. Nothing is looked for that settling has found.
 */
export function settledWindow(events: readonly TurnEvent[]): WindowEvents {
  let receivedAt: string | null = null;
  for (const { received_at: at } of events) receivedAt = later(receivedAt, at);
  return {
    events,
    groups: groupByIdentity(events),
    rejected: 0,
    duplicatesRemoved: 0,
    reports: events.filter((event) => event.event_kind === "data_quality"),
    receivedAt,
    untrusted: events.some(isUntrusted),
  };
}

function readAny(values: readonly unknown[]): WindowEvents {
  const events: TurnEvent[] = [];
  const others: unknown[] = [];
  for (const value of values) {
    if (isReadable(value)) events.push(value);
    else others.push(value);
  }
  const read = normalizeEvents(others);
  for (const event of read.events) events.push(event);
  const { events: unique, duplicatesRemoved } = dedupeEvents(events);
  return {
    events: unique,
    groups: groupByIdentity(unique),
    rejected: read.normalization_errors,
    duplicatesRemoved: duplicatesRemoved + read.duplicates_removed,
    reports: unique.filter((event) => event.event_kind === "data_quality"),
    receivedAt: unique.reduce<string | null>((at, event) => later(at, event.received_at), null),
    untrusted: values.some(isUntrusted),
  };
}

/** A value that throws when it is looked at, such as a proxy, is left to the normalizer. */
function isReadable(value: unknown): value is TurnEvent {
  try {
    return isTurnEvent(value);
  } catch {
    return false;
  }
}
