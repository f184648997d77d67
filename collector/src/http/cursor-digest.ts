/**
 * @module CursorDigest: the unit in which a cursor's position is, and its digest. For a walk bound
 * to a root or a turn it is the whole root; for any other, what one root received at one time, or
 * one row of memory. Positions in a list of turns have none, because nothing in it can change. When
 * the unit has changed since the cursor was issued, the rest of the walk would mix two states of
 * it, so the cursor is rejected (requirements: Endpoints 3).
 */
import { createHash } from "node:crypto";

import { canonicalJson, compareText, contentOf } from "@turnproof/evidence";
import type { CursorUnit, EventQuery, TurnEvent } from "@turnproof/evidence";
import type { EventSlice, EvidenceScope, Keyset } from "@turnproof/store";
import { compareTimes, limits } from "@turnproof/semconv";

import { rowEvents, rowStores } from "../memory/memory-rows.ts";
import { tenantOf } from "../memory/memory-events.ts";
import type { Parts } from "../parts.ts";

/** Names of the unit: a root, a receipt of it, or the event of a row of memory. */
export type CursorUnitPlace = Readonly<Record<string, string>>;

/** Scope and query of the read. */
export interface CursorUnitReader {
  readonly parts: Pick<Parts, "store" | "memory">;
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  readonly signal: AbortSignal;
}

/** What a page has read already of a root, see `SliceOptions`. */
export type KeptRoot = (root: string) => EventSlice | undefined;

/** Where a page of events ends: the root for a bound walk, else the page's earliest receipt. */
export function placeOfEvents(
  { query }: Pick<CursorUnitReader, "query">,
  events: readonly TurnEvent[],
): CursorUnitPlace | undefined {
  const last = events.reduce<TurnEvent | undefined>(earlier, undefined);
  const root = query.root_trace_id ?? last?.root_trace_id;
  const isBound = [query.root_trace_id, query.turn_id, query.run_id].some(
    (name) => name !== undefined,
  );
  if (isBound) return root === undefined ? undefined : { root };
  if (last === undefined) return undefined;
  const row = rowStores.find((name) => name === last.source_store);
  if (row !== undefined) return { row, event: last.event_id };
  const { received_at: received } = last;
  return root === undefined || received === undefined ? undefined : { root, received };
}

function earlier(first: TurnEvent | undefined, event: TurnEvent): TurnEvent {
  if (first?.received_at === undefined || event.received_at === undefined) return event;
  return compareTimes(event.received_at, first.received_at) <= 0 ? event : first;
}

/** The unit with its present digest. */
export async function cursorUnitAt(
  reader: CursorUnitReader,
  at: CursorUnitPlace,
  kept: KeptRoot = () => undefined,
): Promise<CursorUnit> {
  const content =
    at["row"] === undefined ? await rootText(reader, at, kept) : await rowText(reader, at);
  return { at, digest: createHash("sha256").update(content).digest("base64url") };
}

/**
 * A root by its rows and their latest receipt, because rows are only ever added; a receipt by its
 * events, because an event that is recorded again moves to another one.
 */
async function rootText(
  { parts, scope, signal }: CursorUnitReader,
  at: CursorUnitPlace,
  kept: KeptRoot,
): Promise<string> {
  const contents: string[] = [];
  const whole = kept(at["root"] ?? "");
  let rows = 0;
  let latest = "";
  let after: Keyset | null = null;
  do {
    // One page: each read of a root decodes and settles all of its rows, whatever its limit.
    const limit = limits.rootEventsMax;
    const options = { limit, signal, ...(after === null ? {} : { after }) };
    const slice: EventSlice =
      (after === null ? whole : undefined) ??
      (await parts.store.root(scope, at["root"] ?? "", options));
    rows += slice.sourceRows;
    for (const { received_at: received } of slice.events) {
      if (received !== undefined && compareTimes(received, latest) > 0) latest = received;
    }
    const standing = slice.events.filter((event) => event.received_at === at["received"]);
    if (at["received"] !== undefined) contents.push(...standing.map(contentOf));
    after = slice.next;
  } while (after !== null);
  const text = at["received"] === undefined ? { rows, latest } : contents.toSorted(compareText);
  return canonicalJson(text);
}

async function rowText(
  { parts, scope, query }: CursorUnitReader,
  at: CursorUnitPlace,
): Promise<string> {
  const tenant = tenantOf(scope, query);
  const store = rowStores.find((name) => name === at["row"]);
  if (parts.memory === undefined || tenant === undefined || store === undefined) return "gone";
  const events = await rowEvents(parts.memory, store, { tenant, eventId: at["event"] ?? "" });
  return events.map(contentOf).join("\n");
}
