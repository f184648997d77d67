/**
 * @module Slice: the items that each kind of read selects from settled roots, and the slice of a
 * page of items. Providers differ in how they find roots, never in this.
 */
import { compareText, matches, turnKey } from "@turnproof/evidence";
import type { EventQuery } from "@turnproof/evidence";

import { groupBy } from "@turnproof/semconv";
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
  const shown = items.map((item) => item.value).toSorted(byOwnTime);
  const rows = shown.reduce((sum, settled) => sum + settled.copies, 0);
  return {
    events: shown.map(({ event }) => event),
    next: null,
    sourceRows: rows,
    bundleCount: new Set(shown.map(({ event }) => turnKey(event))).size,
    duplicatesRemoved: rows - shown.length,
    errors: [],
    bounded,
  };
}

/** Order of events inside one page: newest own time first. */
function byOwnTime(a: Settled, b: Settled): number {
  const [first, second] = [ownNanos(a.position), ownNanos(b.position)];
  if (first !== second) return first > second ? -1 : 1;
  return (
    compareText(b.event.event_id, a.event.event_id) || comparePositions(a.position, b.position)
  );
}

function ownNanos({ nanos, micros }: Position): bigint {
  const received = BigInt(micros) * 1_000n;
  return nanos < received ? nanos : received;
}

function newest(events: readonly Settled[]): Position | undefined {
  let best: Position | undefined;
  for (const { position } of events) {
    if (best === undefined || comparePositions(position, best) < 0) best = position;
  }
  return best;
}
