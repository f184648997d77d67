/**
 * @module ReconcileOrder: which of several states is the latest, and whether the clocks that say so
 * are contradicted (design 4: Reconcile). Timestamps order; where they are equal, a producer's own
 * sequence decides; what still ties is judged together, so that a tie never helps a success.
 */
import type { TurnEvent } from "./event.ts";
import { compareTimes } from "./time.ts";

/** States of one thing: those that count and those that they supersede. */
export interface States {
  /** Usually one; several where nothing tells which came last. */
  readonly latest: readonly TurnEvent[];
  readonly older: readonly TurnEvent[];
}

const none: readonly TurnEvent[] = [];

function sequences(a: TurnEvent, b: TurnEvent): readonly [number, number] | undefined {
  if (a.producer_id === undefined || a.producer_id !== b.producer_id) return undefined;
  if (a.producer_seq === undefined || b.producer_seq === undefined) return undefined;
  return [a.producer_seq, b.producer_seq];
}

/** Negative when `a` came first, positive when `b` did, 0 where nothing tells. */
export function compareOrder(a: TurnEvent, b: TurnEvent): number {
  const byTime = compareTimes(a.timestamp, b.timestamp);
  if (byTime !== 0) return byTime;
  const pair = sequences(a, b);
  return pair === undefined ? 0 : pair[0] - pair[1];
}

/**
 * The latest of the events and what they supersede. Two steps, because sequences of several
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
  // A producer's last sequence number of this instant; without one an event cannot be superseded.
  const lastSeq = sequenceBounds(tied, Math.max);
  const latest = tied.filter(
    ({ producer_id, producer_seq }) =>
      producer_id === undefined ||
      producer_seq === undefined ||
      lastSeq.get(producer_id) === producer_seq,
  );
  const kept = new Set(latest);
  return { latest, older: events.filter((event) => !kept.has(event)) };
}

function sequenceBounds(
  events: readonly TurnEvent[],
  choose: (a: number, b: number) => number,
): Map<string, number> {
  const bounds = new Map<string, number>();
  for (const { producer_id, producer_seq } of events) {
    if (producer_id === undefined || producer_seq === undefined) continue;
    bounds.set(producer_id, choose(producer_seq, bounds.get(producer_id) ?? producer_seq));
  }
  return bounds;
}

/**
 * Events that the timestamps put before all of `later`, which lies in one instant, while a
 * producer's sequence or the order of receipt puts them after one of those. Linear in both.
 */
export function contradictions(
  earlier: readonly TurnEvent[],
  later: readonly TurnEvent[],
): TurnEvent[] {
  const [first] = later;
  if (first === undefined || earlier.length === 0) return [];
  const firstSeq = sequenceBounds(later, Math.min);
  let received: string | undefined;
  for (const { received_at } of later) {
    if (received_at === undefined) continue;
    if (received === undefined || compareTimes(received_at, received) < 0) received = received_at;
  }
  return earlier.filter((event) => {
    if (compareTimes(event.timestamp, first.timestamp) >= 0) return false;
    const { producer_id, producer_seq, received_at } = event;
    const seq = producer_id === undefined ? undefined : firstSeq.get(producer_id);
    if (seq !== undefined && producer_seq !== undefined && producer_seq > seq) return true;
    return (
      received !== undefined && received_at !== undefined && compareTimes(received_at, received) > 0
    );
  });
}
