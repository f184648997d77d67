/**
 * @module WindowEvents: any array as the events of a window. What already is an event is taken as
 * it is, the rest is read by the normalizer or counted, and copies are set aside.
 */
import { dedupeEvents } from "./dedupe.ts";
import { isTurnEvent } from "./event-shape.ts";
import type { TurnEvent } from "./event.ts";

/** Readable events, each once, and what had to be left out. */
export interface WindowEvents {
  readonly events: readonly TurnEvent[];
  /** Values that are no events. Any of them makes a window untrusted. */
  readonly rejected: number;
  readonly duplicatesRemoved: number;
}

/** Reads a window; never throws on data. */
export function readWindow(input: readonly unknown[]): WindowEvents {
  const values: readonly unknown[] = Array.isArray(input) ? input : [];
  const readable = values.filter(isTurnEvent);
  const { events, duplicatesRemoved } = dedupeEvents(readable);
  return { events, rejected: values.length - readable.length, duplicatesRemoved };
}
