/**
 * @module Slice: the items that each kind of read selects from settled roots, and the slice of a
 * page of items. Providers differ in how they find roots, never in this.
 */
import { compareText, matches, turnFields, turnKey } from "@turnproof/evidence";
import type { EventQuery, TurnEvent } from "@turnproof/evidence";

import { groupBy } from "@turnproof/semconv";
import type { Instant } from "@turnproof/semconv";
import { bundleOf } from "./bundle-group.ts";
import type { BundleRecord, EventSlice } from "./evidence-store.ts";
import { mentions } from "./mention.ts";
import { comparePositions } from "./position.ts";
import type { Position } from "./position.ts";
import { inScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";
import type { Settled } from "./settle.ts";

/** An item of a page, with its position. */
export interface Item<T> {
  readonly value: T;
  readonly position: Position;
}

/** Selects the items of one kind of read from the settled events of whole roots. */
export type ItemsOf<T> = (events: readonly Settled[]) => Item<T>[];

/** Events in scope that match the query. */
export function eventItems(scope: EvidenceScope, query: EventQuery): ItemsOf<Settled> {
  return (events) =>
    events
      .filter(({ event }) => inScope(event, scope) && matches(event, query))
      .map((settled) => ({ value: settled, position: settled.position }));
}

/** Events in scope that match the query and contain the id. */
export function mentionItems(
  scope: EvidenceScope,
  query: EventQuery,
  id: string,
): ItemsOf<Settled> {
  const matching = eventItems(scope, query);
  return (events) => matching(events).filter((item) => mentions(item.value.event, id));
}

/** Bundles in scope: the events of one turn each, at the position of the newest. */
export function bundleItems(scope: EvidenceScope, query: EventQuery): ItemsOf<BundleRecord> {
  const narrowed = bundleFilters(query);
  return (events) => {
    const own = events.filter(({ event }) => inScope(event, scope) && matches(event, narrowed));
    const groups = groupBy(own, ({ event }) => turnKey(event));
    return [...groups].flatMap(([key, group]) => {
      const position = newest(group);
      return position === undefined ? [] : [{ value: bundleOf(key, group), position }];
    });
  };
}

/** The filters that apply to bundles (requirements: Endpoints 2). */
export function bundleFilters(query: EventQuery): EventQuery {
  return {
    ...(query.store === undefined ? {} : { store: query.store }),
    ...(query.application_id === undefined ? {} : { application_id: query.application_id }),
    ...(query.agent_id === undefined ? {} : { agent_id: query.agent_id }),
    ...(query.thread_id === undefined ? {} : { thread_id: query.thread_id }),
    ...(query.user_id === undefined ? {} : { user_id: query.user_id }),
  };
}

/**
 * An event slice of the items of one page; the caller sets `next`. Membership is by receipt;
 * within it events are sorted by their own time, newest first, so that the same trace gives the
 * same page however it arrived. A clock that is ahead counts no later than the receipt: its events
 * would be the newest of every page.
 */
export function eventSlice(items: readonly Item<Settled>[], bounded: boolean): EventSlice {
  const shown = items.map(ownTimed).toSorted(byOwnTime);
  const settled = items.map(({ value }) => value);
  return {
    ...sliceCounts(settled, bounded),
    events: shown.map((one) => one.settled.event),
    next: null,
  };
}

/** What a slice has besides its events and its end. */
export function sliceCounts(
  settled: readonly Settled[],
  bounded: boolean,
): Omit<EventSlice, "events" | "next"> {
  const rows = settled.reduce((sum, { copies }) => sum + copies, 0);
  return {
    sourceRows: rows,
    bundleCount: turnsIn(settled),
    duplicatesRemoved: rows - settled.length,
    errors: [],
    bounded,
  };
}

/** Number of turns of these events; those of one turn are mostly adjacent. */
function turnsIn(settled: readonly Settled[]): number {
  const turns = new Set<string>();
  let before: TurnEvent | undefined;
  for (const { event } of settled) {
    if (before === undefined || !isSameTurn(event, before)) turns.add(turnKey(event));
    before = event;
  }
  return turns.size;
}

function isSameTurn(a: TurnEvent, b: TurnEvent): boolean {
  return turnFields.every((field) => a[field] === b[field]);
}

/** An event with its own time, which is no later than its receipt. */
interface OwnTimed extends Instant {
  readonly settled: Settled;
}

function ownTimed({ value: settled, position }: Item<Settled>): OwnTimed {
  const { micros, seconds, nanos } = position;
  const received = Math.floor(micros / 1_000_000);
  const receivedNanos = (micros - received * 1_000_000) * 1_000;
  const isEarlier = seconds < received || (seconds === received && nanos < receivedNanos);
  return isEarlier
    ? { settled, seconds, nanos }
    : { settled, seconds: received, nanos: receivedNanos };
}

/** Order of events inside one page: newest own time first. */
function byOwnTime(a: OwnTimed, b: OwnTimed): number {
  const [one, other] = [a.settled, b.settled];
  return (
    b.seconds - a.seconds ||
    b.nanos - a.nanos ||
    compareText(other.event.event_id, one.event.event_id) ||
    comparePositions(one.position, other.position)
  );
}

function newest(events: readonly Settled[]): Position | undefined {
  let best: Position | undefined;
  for (const { position } of events) {
    if (best === undefined || comparePositions(position, best) < 0) best = position;
  }
  return best;
}
