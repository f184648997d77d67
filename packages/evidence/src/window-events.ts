/**
 * @module WindowEvents: any array as the events of a window. What already is an event is taken as
 * it is, the rest goes through the normalizer, and copies are set aside.
 */
import { dedupeEvents } from "./dedupe.ts";
import { isTurnEvent } from "./event-shape.ts";
import type { TurnEvent } from "./event.ts";
import { normalizeEvents } from "./normalize.ts";

/** Readable events, each once, and what had to be left out. */
export interface WindowEvents {
  readonly events: readonly TurnEvent[];
  /** Findings of the normalizer. Any of them makes a window untrusted. */
  readonly rejected: number;
  readonly duplicatesRemoved: number;
}

/** Reads a window; never throws on data. */
export function readWindow(input: readonly unknown[]): WindowEvents {
  const values: readonly unknown[] = Array.isArray(input) ? input : [];
  if (values.every(isReadable)) return { ...dedupeEvents(values), rejected: 0 };
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
    rejected: read.normalization_errors,
    duplicatesRemoved: duplicatesRemoved + read.duplicates_removed,
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
