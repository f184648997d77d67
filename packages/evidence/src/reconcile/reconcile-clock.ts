/**
 * @module ReconcileClock: the times by which events are ordered. Within one producer its sequence
 * orders. A producer with times after their receipt is ahead, and all its times are moved back by
 * the largest difference. Receipt bounds when something happened and is no order by itself.
 */
import { compareTimes, later, shiftTime, wholeMsAfter } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import type { IdentityGroups } from "../event/identity-tuple.ts";

/** Events with the times that order them, parallel to the events of the window. */
export interface SettledClocks {
  /** With the times of producers that are ahead moved back. */
  readonly events: readonly TurnEvent[];
  /** The same with original times; the same list where no producer is ahead. */
  readonly unshifted: readonly TurnEvent[];
  /** Indexes of events of producers that are ahead; undefined where none is. */
  readonly ahead: ReadonlySet<number> | undefined;
}

/** An event whose time was moved to fit its producer's sequence. */
interface SettledEvent extends TurnEvent {
  /** The original time of its producer's clock. */
  readonly stamped_at?: string;
  /** Its producer is ahead: its time is only the latest at which it can have happened. */
  readonly is_bound?: true;
}

/** True where only a bound of the event's time is known. */
export function isBound({ is_bound: bound }: SettledEvent): boolean {
  return bound === true;
}

/** The original time of an event's clock, before it was fitted to the sequence. */
export function stampOf({ timestamp, stamped_at: stamped }: SettledEvent): string {
  return stamped ?? timestamp;
}

/** Which process numbers and times an event, or what identifies it. */
export function clockOf(event: TurnEvent): string {
  const { producer_id: producer, service_name: service, application_id: application } = event;
  return producer ?? `service ${service ?? application ?? ""}`;
}

/**
 * Settles the clocks of a window. An event without a receipt was received by the bound of the
 * window. Linear, and without copies where nothing has to be moved.
 */
export function settleClocks(
  events: readonly TurnEvent[],
  groups: IdentityGroups,
  bound: string | null,
): SettledClocks {
  const shifts = shiftsOf(events, bound ?? undefined);
  const unshifted = inSequence(events, groups);
  if (shifts === undefined) return { events: unshifted, unshifted, ahead: undefined };
  const ahead = new Set<number>();
  const shifted = events.map((event, at): SettledEvent => {
    const shift = shifts.get(clockOf(event));
    if (shift === undefined) return event;
    ahead.add(at);
    return {
      ...event,
      timestamp: shiftTime(event.timestamp, -shift),
      is_bound: true,
      ...(event.started_at === undefined
        ? {}
        : { started_at: shiftTime(event.started_at, -shift) }),
    };
  });
  return { events: inSequence(shifted, groups), unshifted, ahead };
}

/** By how many milliseconds each producer is ahead; undefined where none is. */
function shiftsOf(
  events: readonly TurnEvent[],
  bound: string | undefined,
): Map<string, number> | undefined {
  let shifts: Map<string, number> | undefined;
  for (const event of events) {
    const { timestamp, received_at: received = bound } = event;
    // Text order decides nearly always; only a later text is compared exactly.
    if (received === undefined || timestamp < received) continue;
    const ms = wholeMsAfter(received, timestamp);
    if (ms <= 0) continue;
    shifts ??= new Map();
    const clock = clockOf(event);
    shifts.set(clock, Math.max(ms, shifts.get(clock) ?? 0));
  }
  return shifts;
}

/** Surrounding kinds decide nothing, so they are not moved. */
const surrounding: ReadonlySet<string> = new Set([
  "span",
  "conversation",
  "execution_log",
  "data_quality",
  "memory_operation",
  "memory_retrieval",
  "memory_reference",
  "cache_decision",
  "plan",
  "learning",
]);

/**
 * The events with times that never decrease along a producer's sequence within a turn: a later
 * number is at least as late. Moved events keep their original time.
 */
function inSequence(events: readonly TurnEvent[], groups: IdentityGroups): readonly TurnEvent[] {
  let moved: TurnEvent[] | undefined;
  const { starts, order } = groups;
  for (let group = 0; group + 1 < starts.length; group += 1) {
    const from = starts[group] as number;
    const to = starts[group + 1] as number;
    if (isInSequence(events, order, from, to)) continue;
    moved ??= events.slice();
    liftGroup(moved, order.subarray(from, to));
  }
  return moved ?? events;
}

function isNumbered(event: TurnEvent): boolean {
  return (
    event.producer_seq !== undefined &&
    event.producer_id !== undefined &&
    !surrounding.has(event.event_kind)
  );
}

/** True where one producer numbered them all, in the order of the input and of the times. */
function isInSequence(
  events: readonly TurnEvent[],
  order: Int32Array,
  from: number,
  to: number,
): boolean {
  let before: TurnEvent | undefined;
  for (let at = from; at < to; at += 1) {
    const event = events[order[at] as number] as TurnEvent;
    if (!isNumbered(event)) continue;
    if (before !== undefined) {
      if (event.producer_id !== before.producer_id) return false;
      if ((event.producer_seq as number) <= (before.producer_seq as number)) return false;
      if (compareTimes(event.timestamp, before.timestamp) < 0) return false;
    }
    before = event;
  }
  return true;
}

function liftGroup(events: TurnEvent[], members: Int32Array): void {
  const byProducer = new Map<string, number[]>();
  for (const index of members) {
    const event = events[index] as TurnEvent;
    if (!isNumbered(event)) continue;
    const producer = event.producer_id as string;
    const known = byProducer.get(producer);
    if (known === undefined) byProducer.set(producer, [index]);
    else known.push(index);
  }
  const seqOf = (index: number): number => events[index]?.producer_seq as number;
  for (const indexes of byProducer.values()) {
    indexes.sort((a, b) => seqOf(a) - seqOf(b));
    let before: string | undefined;
    let latest: string | undefined;
    let seq: number | undefined;
    for (const index of indexes) {
      const event = events[index] as TurnEvent;
      // Events with one number do not order each other.
      if (event.producer_seq !== seq) before = latest;
      seq = event.producer_seq;
      if (before !== undefined && compareTimes(event.timestamp, before) < 0) {
        const moved: SettledEvent = { ...event, timestamp: before, stamped_at: event.timestamp };
        events[index] = moved;
      } else latest = later(latest ?? null, event.timestamp) ?? undefined;
    }
  }
}
