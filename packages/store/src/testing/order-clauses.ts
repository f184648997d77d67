/**
 * @module OrderClauses: every order of a list in both directions, in small pages: each turn once,
 * at the place that it has in the reference, those with an unknown value last.
 */
import { deepEqual, equal } from "node:assert/strict";

import { compareTurnPositions, turnPositionOf } from "../ledger/turn-conditions.ts";
import { memoryTurns } from "../ledger/memory-turns.ts";
import { turnOrderFields } from "../ledger/turn-orders.ts";
import type { TurnOrder, TurnPosition, TurnReader } from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { heldOf } from "../ledger/turn-writes.ts";
import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { holdsForEvery } from "./random-runs.ts";
import { turnRecords } from "./random-turns.ts";
import { sampleRecord } from "./sample-record.ts";
import { allTenants } from "./sample-event.ts";

const query = { scope: allTenants, where: [] };
const directions: readonly Pick<TurnOrder, "ascending">[] = [{}, { ascending: true }];
const orders: readonly TurnOrder[] = turnOrderFields.flatMap((by) =>
  directions.map((direction) => ({ by, ...direction })),
);
/** One history is walked in every order: a few are as many reads as other clauses have. */
const fewer = 20;

async function walked(
  reader: TurnReader,
  order: TurnOrder,
  limit: number,
): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = [];
  let after: TurnPosition | undefined;
  do {
    const next = after === undefined ? {} : { after };
    const page = await reader.listTurns(query, { order, limit, ...next });
    records.push(...page.records);
    // Pages that repeat would have no end.
    equal(new Set(keysOf(records)).size, records.length, "a turn is on two pages");
    after = page.next ?? undefined;
  } while (after !== undefined);
  return records;
}

const keysOf = (records: readonly TurnRecord[]): readonly string[] => records.map(({ key }) => key);

/** The clauses about orders. */
export const orderClauses: readonly KitClause[] = [
  {
    name: "every order in both directions shows each turn once, over random histories",
    async run(harness) {
      await using store = await harness.open();
      let serial = 0;
      const promise = async (given: readonly TurnRecord[]): Promise<void> => {
        serial += 1;
        const records = given.map((record) => ({ ...record, key: `${serial} ${record.key}` }));
        const reference = memoryTurns();
        await reference.putTurns(records);
        await store.ledger.putTurns(records);
        try {
          const held = await walked(reference, { by: "first_received" }, 100);
          for (const order of orders) {
            const wanted = held.toSorted((a, b) =>
              compareTurnPositions(turnPositionOf(a, order), turnPositionOf(b, order), order),
            );
            const shown = await walked(store.ledger, order, 23);
            deepEqual(keysOf(shown), keysOf(wanted), JSON.stringify(order));
          }
        } finally {
          const version = { epoch: 1_000, rows: 1, settled: true };
          await store.ledger.dropTurns(records.map((one) => ({ ...heldOf(one), version })));
        }
      };
      const { effort } = harness;
      const sequences = Math.ceil(effort.sequences / fewer);
      await holdsForEvery(turnRecords, promise, { ...effort, sequences });
    },
  },
  onStore("ranks put what is worse first and what is unknown last", async ({ ledger }) => {
    const turns = [
      sampleRecord("worst", {
        verdict: "failed",
        finding_codes: ["artifact_missing"],
        coverage_profiles: ["content_derived_artifact", "profile of another version"],
        event_kind_counts: { artifact: 1, turn: 1 },
      }),
      sampleRecord("partial", {
        verdict: "partial",
        finding_codes: ["clock_conflict", "code_of_another_version"],
        coverage_profiles: ["interactive_response"],
        event_kind_counts: { contract: 1, delivery: 1 },
      }),
      sampleRecord("fine", {
        verdict: "success",
        finding_codes: [],
        insight_codes: ["page_grounding_missing"],
        coverage_profiles: ["chat_response"],
        event_kind_counts: { model_call: 1 },
      }),
      sampleRecord("unjudged", { verdict: null, finding_codes: null }),
    ];
    await ledger.putTurns(turns);
    const [first, second, third, last] = turns.map(({ key }) => key);
    for (const by of ["verdict", "findings", "stages_missing"] as const) {
      const down = await walked(ledger, { by }, 1);
      deepEqual(keysOf(down), [first, second, third, last], by);
      const up = await walked(ledger, { by, ascending: true }, 1);
      deepEqual(keysOf(up), [third, second, first, last], by);
    }
    equal((await walked(ledger, { by: "cache_decision" }, 3)).length, turns.length);
  }),
];
