/**
 * @module TieClauses: hundreds of rows with equal times, read in small pages: each is shown once.
 * A keyset with the time alone loses rows or never ends.
 */
import { deepEqual, equal } from "node:assert/strict";

import type { TurnEvent } from "@turnproof/evidence";

import type { KitClause } from "./contract.ts";
import { walkRows } from "./memory-row-clauses.ts";
import { draftOf, idsOf, onMemory } from "./on-memory.ts";
import { onStore } from "./on-store.ts";
import { allTenants, receivedAt, sampleEvent } from "./sample-event.ts";
import { eventsOf, walkPages } from "./walk-pages.ts";

const limitsWalked = [1, 2, 3, 4, 5, 6, 7];
const rootCount = 20;
const eventsPerRoot = 10;
/** Every nth root belongs to the tenant whose few rows are read one by one. */
const rareTenant = 5;
const tiedRows = 200;

/** Each item once: the expected number, and no duplicates. */
function eachOnce(shown: readonly string[], wanted: ReadonlySet<string>): void {
  equal(shown.length, wanted.size);
  deepEqual(new Set(shown), wanted);
}

/** Events of many roots and two tenants, all with the same time. */
function tiedEvents(): TurnEvent[][] {
  return Array.from({ length: rootCount }, (_, root) =>
    Array.from({ length: eventsPerRoot }, (_event, n) =>
      sampleEvent(`s-${root}-${n}`, {
        root_trace_id: `root-${root}`,
        user_id: root % rareTenant === 0 ? "ann" : "bob",
        turn_id: `turn-${root}`,
        input_refs: [{ resource_type: "document", ref: "shared" }],
      }),
    ),
  );
}

const idOf = (event: TurnEvent): string => event.event_id;

/** The clause about evidence. */
export const evidenceTieClauses: readonly KitClause[] = [
  onStore("hundreds of rows of one moment are each shown once", async (store) => {
    const roots = tiedEvents();
    // One batch contains half of the roots, the others come in one batch each, at the same time.
    const together = roots.filter((_, root) => root < rootCount / 2).flat();
    const batches = [together, ...roots.slice(rootCount / 2)];
    for (const [n, events] of batches.entries()) {
      await store.append({ batchId: `tie-${n}`, receivedAt: receivedAt(1), events });
    }
    const all = new Set(roots.flat().map(idOf));
    const own = roots.filter((_, root) => root % rareTenant === 0);
    const mine = new Set(own.flat().map(idOf));
    const scope = { tenant: "ann" };
    for (const limit of limitsWalked) {
      // The smallest pages read the rows of one tenant: the others have the same time all the
      // same.
      const [of, wanted] = limit < 7 ? ([scope, mine] as const) : ([allTenants, all] as const);
      const pages = await walkPages((o) => store.page(of, {}, o), { limit });
      eachOnce(eventsOf(pages).map(idOf), wanted);
    }
    const found = await walkPages((o) => store.find(scope, "shared", {}, o), { limit: 7 });
    eachOnce(eventsOf(found).map(idOf), mine);
    const bundles = await walkPages((o) => store.bundles(allTenants, {}, o), { limit: 6 });
    const records = bundles.flatMap((page) => page.bundles.map(({ record_id }) => record_id));
    eachOnce(records, new Set(records));
    equal(records.length, rootCount);
  }),
];

/** The clause about memory. */
export const memoryTieClauses: readonly KitClause[] = [
  onMemory("hundreds of rows of one time are each listed once", async (store) => {
    const ids = Array.from({ length: tiedRows }, (_, n) => `row-${n}`);
    // The same time with more and fewer digits.
    const times = ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z"];
    for (const [n, id] of ids.entries()) {
      const created_at = times[n % times.length] ?? "";
      await store.put({ tenant: "ann" }, "conversation", draftOf(id, { created_at }));
      if (n % 10 > 0) continue;
      await store.put({ tenant: "bob" }, "conversation", draftOf(id, { created_at }));
      await store.shared.put("persona", { id, data: {}, created_at });
    }
    for (const limit of limitsWalked) {
      const pages = await walkRows(store, { tenant: "ann" }, "conversation", { limit });
      eachOnce(idsOf(pages.flat()), new Set(ids));
    }
    const shared: string[] = [];
    let after: string | null = null;
    do {
      const position: { after?: string } = after === null ? {} : { after };
      const page = await store.shared.list("persona", { limit: 3, ...position });
      shared.push(...page.records.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    eachOnce(shared, new Set(ids.filter((_, n) => n % 10 === 0)));
  }),
];
