/**
 * @module Standing: what a cursor's position stands in, and a digest of it. A walk that is bound
 * to a root or a turn stands in the whole root; any other in what one root received at one time,
 * or in one row of memory. A list of turns stands in nothing that changes. When that changed since
 * the cursor was issued, the rest of the walk would join two states of it, so the cursor is
 * rejected (requirements: rules for the events endpoint 3).
 */
import { createHash } from "node:crypto";

import { canonicalJson, compareText, compareTimes, contentOf } from "@turnproof/evidence";
import type { CursorStanding, EventQuery, TurnEvent } from "@turnproof/evidence";
import type { EventSlice, EvidenceScope, Keyset } from "@turnproof/store";

import { rowEvents, rowStores } from "../memory/memory-rows.ts";
import { tenantOf } from "../memory/memory-events.ts";
import type { Parts } from "../parts.ts";

/** Names of what is stood in: a root, a receipt of it, or the event of a row of memory. */
export type StandingPlace = Readonly<Record<string, string>>;

/** Who reads, and what was asked. */
export interface StandingReader {
  readonly parts: Pick<Parts, "store" | "memory">;
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  readonly signal: AbortSignal;
}

const rootRows = 10_000;

/** Where a page of events ends: the root for a bound walk, else the page's earliest receipt. */
export function placeOfEvents(
  { query }: Pick<StandingReader, "query">,
  events: readonly TurnEvent[],
): StandingPlace | undefined {
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

/** The place with its present digest. */
export async function standingIn(
  reader: StandingReader,
  at: StandingPlace,
): Promise<CursorStanding> {
  const said = at["row"] === undefined ? await rootText(reader, at) : await rowText(reader, at);
  return { at, digest: createHash("sha256").update(said).digest("base64url") };
}

/**
 * A root as its rows and their latest receipt, because rows are only ever added; a receipt as its
 * events, because an event that is recorded again moves to another one.
 */
async function rootText(
  { parts, scope, signal }: StandingReader,
  at: StandingPlace,
): Promise<string> {
  const contents: string[] = [];
  let rows = 0;
  let latest = "";
  let after: Keyset | null = null;
  do {
    const options = { limit: rootRows, signal, ...(after === null ? {} : { after }) };
    const slice: EventSlice = await parts.store.root(scope, at["root"] ?? "", options);
    rows += slice.sourceRows;
    for (const { received_at: received } of slice.events) {
      if (received !== undefined && compareTimes(received, latest) > 0) latest = received;
    }
    const standing = slice.events.filter((event) => event.received_at === at["received"]);
    if (at["received"] !== undefined) contents.push(...standing.map(contentOf));
    after = slice.next;
  } while (after !== null);
  const whole = at["received"] === undefined;
  return canonicalJson(whole ? { rows, latest } : contents.toSorted(compareText));
}

async function rowText(
  { parts, scope, query }: StandingReader,
  at: StandingPlace,
): Promise<string> {
  const tenant = tenantOf(scope, query);
  const store = rowStores.find((name) => name === at["row"]);
  if (parts.memory === undefined || tenant === undefined || store === undefined) return "gone";
  const events = await rowEvents(parts.memory, store, { tenant, eventId: at["event"] ?? "" });
  return events.map(contentOf).join("\n");
}
