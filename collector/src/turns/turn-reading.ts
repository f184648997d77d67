/**
 * @module TurnReading: the events of some turns, for results that need events: insights over
 * several turns, candidates, summaries. The ledger selects the turns.
 */
import { matches } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { EvidenceScope, TurnRecord } from "@turnproof/store";

import type { Reading } from "../access/grants.ts";
import type { Parts } from "../parts.ts";
import { eventConditions } from "./turn-conditions.ts";
import { usualOrder } from "./turn-position.ts";
import { turnQueryOfEvents, isSettled, togetherRows } from "./window.ts";

/** Events of turns. */
export interface TurnEvents {
  readonly events: readonly TurnEvent[];
  readonly roots: number;
  /** True when they cover every turn of the filter and nothing was left out. */
  readonly complete: boolean;
}

/** The matching events of the newest turns of a reading. */
export async function newestEvents(
  parts: Parts,
  reading: Reading,
  limit: number,
): Promise<TurnEvents> {
  const settled = await isSettled(parts, turnQueryOfEvents(reading));
  const { records, next } = await parts.store.ledger.listTurns(
    { scope: reading.scope, where: eventConditions(reading.query, reading.atMs) },
    { order: usualOrder, limit },
  );
  const read = await eventsOf(parts, reading.scope, records);
  return {
    events: read.events.filter((event) => matches(event, reading.query)),
    roots: read.roots,
    complete: settled && next === null && read.complete,
  };
}

/**
 * All events in scope of the roots of these turns. `rowsMax`: stored rows that are read of the
 * roots with too many to be read together, in the order of the turns; the rest is left out.
 */
export async function eventsOf(
  { store }: Parts,
  scope: EvidenceScope,
  records: readonly TurnRecord[],
  rowsMax = Infinity,
): Promise<TurnEvents> {
  const roots = [...new Set(records.flatMap(({ row }) => row.root_trace_id ?? []))];
  const limit = limits.rootEventsMax;
  const together = await store.roots(scope, roots, { limit, budgetRows: togetherRows });
  const large = roots.filter((root) => !together.has(root));
  const budgets = await budgetsOf(store, large, rowsMax);
  const slices = await Promise.all(
    roots.map(async (root) => {
      const budgetRows = budgets.get(root) ?? limit;
      return together.get(root) ?? store.root(scope, root, { limit, budgetRows });
    }),
  );
  return {
    events: slices.flatMap(({ events }) => events),
    roots: roots.length,
    complete: slices.every(({ next, bounded }) => next === null && !bounded),
  };
}

/** How many rows of each root are read, so that all roots together stay within the limit. */
async function budgetsOf(
  store: Parts["store"],
  roots: readonly string[],
  rowsMax: number,
): Promise<ReadonlyMap<string, number>> {
  if (rowsMax === Infinity || roots.length === 0) return new Map();
  const standing = await store.standing(roots);
  let left = rowsMax;
  return new Map(
    roots.map((root) => {
      const own = Math.min(left, standing.get(root)?.rows ?? 0);
      left -= own;
      return [root, own];
    }),
  );
}
