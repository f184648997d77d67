/**
 * @module Slice: what each kind of read shows of settled roots, as items with a place, and the
 * slice that a page of items becomes. Providers differ in how they find roots, never in this.
 */
import { compareText, matches, turnKey } from "@turnproof/evidence";
import type { EventQuery, TurnEvent } from "@turnproof/evidence";

import { groupBy } from "@turnproof/semconv";
import { bundleOf } from "./bundle-group.ts";
import type { BundleRecord, EventSlice } from "./evidence-store.ts";
import { mentions } from "./mention.ts";
import { comparePositions } from "./position.ts";
import type { Position } from "./position.ts";
import { inScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";
import type { Settled } from "./settle.ts";

/** Something that a page can show, and where it stands. */
export interface Item<T> {
  readonly value: T;
  readonly position: Position;
}

/** From the settled events of whole roots to the items of one kind of read. */
export type ItemsOf<T> = (events: readonly Settled[]) => Item<T>[];

/** A root of the turn index with all its events in scope, oldest first. */
export interface RootItem {
  readonly root: string;
  readonly events: readonly TurnEvent[];
}

/** Events in scope that match the query. */
export function eventItems(scope: EvidenceScope, query: EventQuery): ItemsOf<Settled> {
  return (events) =>
    events
      .filter(({ event }) => inScope(event, scope) && matches(event, query))
      .map((settled) => ({ value: settled, position: settled.position }));
}

/** Events in scope that match the query and name the id. */
export function mentionItems(
  scope: EvidenceScope,
  query: EventQuery,
  id: string,
): ItemsOf<Settled> {
  const matching = eventItems(scope, query);
  return (events) => matching(events).filter((item) => mentions(item.value.event, id));
}

/**
 * Roots in scope with a matching event that is evidence (a root of plain spans makes no claim). A
 * root stands where its newest matching event stands.
 */
export function rootItems(scope: EvidenceScope, query: EventQuery): ItemsOf<RootItem> {
  return (events) =>
    [...byRoot(events)].flatMap(([root, all]) => {
      const own = all.filter(({ event }) => inScope(event, scope));
      const shown = own.filter(({ event }) => event.event_kind !== "span" && matches(event, query));
      const position = newest(shown);
      if (position === undefined) return [];
      const ordered = own.toSorted((a, b) => -byOwnTime(a, b));
      return [{ value: { root, events: ordered.map(({ event }) => event) }, position }];
    });
}

/** Bundles in scope: the events of one turn each, at the place of their newest. */
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

/** The filters that a bundle has (requirements: Endpoints, rule 2). */
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
 * An event slice of the items of one page; `next` is the caller's to say. Which events belong to it
 * is decided by receipt; inside it they stand by their own time, newest first, so that the same
 * trace shows the same page however it arrived.
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
  if (a.position.nanos !== b.position.nanos) return a.position.nanos > b.position.nanos ? -1 : 1;
  return (
    compareText(b.event.event_id, a.event.event_id) || comparePositions(a.position, b.position)
  );
}

function byRoot(events: readonly Settled[]): Map<string, Settled[]> {
  return groupBy(events, ({ event }) => event.root_trace_id ?? "");
}

function newest(events: readonly Settled[]): Position | undefined {
  let best: Position | undefined;
  for (const { position } of events) {
    if (best === undefined || comparePositions(position, best) < 0) best = position;
  }
  return best;
}
