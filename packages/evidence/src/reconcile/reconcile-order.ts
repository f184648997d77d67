/**
 * @module ReconcileOrder: which of several states is the latest (evidence: Reconcile). Times
 * order, settled to follow each producer's sequence; at equal times that sequence decides; across
 * producers causality comes first. States that still tie are judged together, so that a tie never
 * favours success.
 */
import { compareTimes, limits } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { isEffectOf, namesCause } from "./reconcile-causes.ts";
import { clockOf, isBound } from "./reconcile-clock.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** States of one thing: current ones and superseded ones. */
export interface States {
  /** Usually one; several where their order is unknown. */
  readonly latest: readonly TurnEvent[];
  readonly older: readonly TurnEvent[];
}

const none: readonly TurnEvent[] = [];

function sequences(a: TurnEvent, b: TurnEvent): readonly [number, number] | undefined {
  if (a.producer_id === undefined || a.producer_id !== b.producer_id) return undefined;
  if (a.producer_seq === undefined || b.producer_seq === undefined) return undefined;
  return [a.producer_seq, b.producer_seq];
}

/** Negative when `a` came first, positive when `b` did, 0 where the order is unknown. */
export function compareOrder(a: TurnEvent, b: TurnEvent): number {
  const byTime = compareTimes(a.timestamp, b.timestamp);
  if (byTime !== 0) return byTime;
  const pair = sequences(a, b);
  return pair === undefined ? 0 : pair[0] - pair[1];
}

/**
 * The latest of the events and those they supersede. Two steps, because sequences of several
 * producers give no total order: an event is latest unless another one came after it.
 */
export function statesOf(events: readonly TurnEvent[]): States {
  if (events.length < 2) return { latest: events, older: none };
  let newest: TurnEvent | undefined;
  for (const event of events) {
    if (newest === undefined || compareTimes(event.timestamp, newest.timestamp) > 0) newest = event;
  }
  if (newest === undefined) return { latest: none, older: none };
  const at = newest.timestamp;
  const tied = events.filter((event) => compareTimes(event.timestamp, at) === 0);
  // A producer's last sequence number of this instant; an event without one cannot be superseded.
  const lastSeq = lastSequences(tied);
  const latest = tied.filter(
    ({ producer_id, producer_seq }) =>
      producer_id === undefined ||
      producer_seq === undefined ||
      lastSeq.get(producer_id) === producer_seq,
  );
  const kept = new Set(latest);
  return { latest, older: events.filter((event) => !kept.has(event)) };
}

function lastSequences(events: readonly TurnEvent[]): Map<string, number> {
  const bounds = new Map<string, number>();
  for (const { producer_id, producer_seq } of events) {
    if (producer_id === undefined || producer_seq === undefined) continue;
    bounds.set(producer_id, Math.max(producer_seq, bounds.get(producer_id) ?? producer_seq));
  }
  return bounds;
}

/** The latest states of a subject, with causality across producers. */
export function statesWithin(turn: TurnEvidence, events: readonly TurnEvent[]): States {
  const { latest, older } = statesOf(events);
  // Above this number of ties no causes are searched.
  if (older.length === 0 || latest.length > limits.findingEvidenceMax) return { latest, older };
  const effects: TurnEvent[] = [];
  const beaten = new Set<TurnEvent>();
  for (const event of older) {
    if (!namesCause(event)) continue;
    for (const cause of latest) {
      if (clockOf(cause) === clockOf(event) || !isEffectOf(turn, event, cause)) continue;
      beaten.add(cause);
      effects.push(event);
    }
  }
  if (beaten.size < latest.length) {
    if (beaten.size === 0) return { latest, older };
    const kept = latest.filter((event) => !beaten.has(event));
    return { latest: kept, older: [...older, ...beaten] };
  }
  const next = statesOf([...new Set(effects)]).latest;
  const kept = new Set(next);
  return { latest: next, older: events.filter((event) => !kept.has(event)) };
}

/**
 * Older states that contradict a latest one of another producer, where times and receipts disagree
 * on the order and nothing else decides it.
 */
export function unestablished(
  turn: TurnEvidence,
  { latest, older }: States,
  isGood: (event: TurnEvent) => boolean,
): readonly TurnEvent[] {
  if (older.length === 0) return none;
  const found = new Set<TurnEvent>();
  for (const last of latest.slice(0, limits.findingEvidenceMax)) {
    const { received_at: received } = last;
    if (received === undefined && !isBound(last)) continue;
    const good = isGood(last);
    for (const event of older) {
      if (clockOf(event) === clockOf(last)) continue;
      // Without a receipt it may have come after an event of which only the latest time is known.
      const other = event.received_at;
      const reported = other !== undefined && received !== undefined;
      if (reported ? compareTimes(other, received) <= 0 : !isBound(last)) continue;
      if (compareTimes(event.timestamp, last.timestamp) >= 0 || isGood(event) === good) continue;
      if (isEffectOf(turn, last, event)) continue;
      found.add(event);
      found.add(last);
    }
  }
  return [...found];
}
