/**
 * @module WindowEvents: any array as the events of a window. Normalized events are used directly,
 * other values are normalized, and copies are removed.
 */
import { later } from "@turnproof/semconv";

import { areDistinct, dedupeEvents } from "./dedupe.ts";
import { withRevision } from "./latest-content.ts";
import { isTurnEvent } from "../event/event-shape.ts";
import type { TurnEvent } from "../event/event.ts";
import { createGrouping, groupByIdentity } from "../event/identity-tuple.ts";
import type { IdentityGroups } from "../event/identity-tuple.ts";
import { normalizeEvents } from "./normalize.ts";
import { inTurnApplication } from "./turn-application.ts";
import { isUntrusted } from "./untrusted.ts";

/** Readable events, each once, and what was left out. */
export interface WindowEvents {
  readonly events: readonly TurnEvent[];
  /** The events by identity: computed once, and shared by all steps over the window. */
  readonly groups: IdentityGroups;
  /** Number of findings of the normalizer. Any of them makes a window untrusted. */
  readonly rejected: number;
  readonly duplicatesRemoved: number;
  /** Reports of producers and receivers about themselves: the events of kind `data_quality`. */
  readonly reports: readonly TurnEvent[];
  /** The latest receipt among the events, null without one. */
  readonly receivedAt: string | null;
  /** Whether any of it, readable or not, belongs to an untrusted producer. */
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

/** True with more than one application: only then can an event belong to another one's turn. */
function hasSeveralApplications({ tuples }: IdentityGroups): boolean {
  const first = tuples.find(({ application_id: id }) => id !== undefined)?.application_id;
  return tuples.some(({ application_id: id }) => id !== undefined && id !== first);
}

/**
 * A window of readable events without copies, as most are, in one pass over the events and one
 * over their ids; undefined for any other.
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
    // Copies of a received span are found by its principal, whatever their tuple.
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
 * The window of settled events: resolved over their whole roots, each once and with its revision.
 * Checks of settling are not repeated.
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

/** A value that throws when read, such as a proxy, is left to the normalizer. */
function isReadable(value: unknown): value is TurnEvent {
  try {
    return isTurnEvent(value);
  } catch {
    return false;
  }
}
