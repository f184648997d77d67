/**
 * @module ReconcileTied: events of one instant that many artifacts or contracts query as possible
 * covers. Answers are computed once, by producer, so that a thousand deliveries of one instant
 * cost a thousand artifacts no more than one would.
 */
import { compareTimes, wholeMsAfter } from "@turnproof/semconv";

import { shownOf } from "./finding-list.ts";
import type { TurnEvent } from "../event/event.ts";
import { clockOf, stampOf } from "./reconcile-clock.ts";

/** Events of one instant; each producer has at most its last sequence number. */
export interface Tied {
  /** The instant; undefined without events. */
  readonly at: string | undefined;
  readonly events: readonly TurnEvent[];
  /** By producer, those without a sequence under undefined. */
  readonly byProducer: ReadonlyMap<string | undefined, readonly TurnEvent[]>;
  /** As many as a finding shows. */
  readonly shown: readonly TurnEvent[];
  /** Those with a receipt, the latest first. */
  readonly received: readonly TurnEvent[];
}

/** Producers; those without sequence numbers are together under undefined. */
export type Producers = ReadonlySet<string | undefined>;

/** Producer of the event, its process or else its service; undefined without a number. */
export function producerOf(event: TurnEvent): string | undefined {
  return event.producer_seq === undefined ? undefined : clockOf(event);
}

/** The latest of some states (`statesOf`); rarely used parts are computed on first use. */
class TiedEvents implements Tied {
  readonly at: string | undefined;
  readonly events: readonly TurnEvent[];
  readonly shown: readonly TurnEvent[];
  readonly received: readonly TurnEvent[];
  private producers: Map<string | undefined, TurnEvent[]> | undefined;

  constructor(events: readonly TurnEvent[]) {
    this.at = events[0]?.timestamp;
    this.events = events;
    this.shown = shownOf(events);
    const received = events.filter((event) => event.received_at !== undefined);
    if (received.length > 1) {
      received.sort((a, b) => compareTimes(b.received_at as string, a.received_at as string));
    }
    this.received = received;
  }

  get byProducer(): ReadonlyMap<string | undefined, readonly TurnEvent[]> {
    return (this.producers ??= byProducer(this.events));
  }
}

function byProducer(events: readonly TurnEvent[]): Map<string | undefined, TurnEvent[]> {
  const producers = new Map<string | undefined, TurnEvent[]>();
  for (const event of events) {
    const producer = producerOf(event);
    const known = producers.get(producer);
    if (known === undefined) producers.set(producer, [event]);
    else known.push(event);
  }
  return producers;
}

/** Reads the latest of some states (`statesOf`). */
export function tiedOf(events: readonly TurnEvent[]): Tied {
  return new TiedEvents(events);
}

const noProducers: Producers = new Set();

/**
 * Producers whose tied events are not at or after all of the evidence, which is in one instant:
 * undefined where none follows. Within one instant a producer's own sequence decides.
 */
export function precedingProducers(
  tied: Tied,
  evidence: readonly TurnEvent[],
): Producers | undefined {
  const [first] = evidence;
  if (tied.at === undefined) return undefined;
  const byTime = first === undefined ? 1 : compareTimes(tied.at, first.timestamp);
  if (byTime !== 0) return byTime > 0 ? noProducers : undefined;
  const preceding = new Set<string>();
  let left = tied.events.length;
  for (const event of evidence) {
    const producer = producerOf(event);
    if (producer === undefined || preceding.has(producer)) continue;
    const own = tied.byProducer.get(producer);
    if (own === undefined || !isBefore(own, event)) continue;
    preceding.add(producer);
    left -= own.length;
  }
  return left > 0 ? preceding : undefined;
}

/** A process has one number per instant, its last; those of a service may have several. */
function isBefore(own: readonly TurnEvent[], event: TurnEvent): boolean {
  return own.some((one) => (one.producer_seq as number) < (event.producer_seq as number));
}

/** Evidence with a timestamp after the first receipt of the tied events that follow it. */
export function receivedBefore(
  evidence: readonly TurnEvent[],
  { received }: Tied,
): readonly TurnEvent[] {
  const first = received.at(-1)?.received_at;
  if (first === undefined) return [];
  return evidence.filter((event) => {
    const stamp = stampOf(event);
    return stamp > first && wholeMsAfter(first, stamp) > 0;
  });
}
