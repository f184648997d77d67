/**
 * @module GroupOrderClauses: any order of the lists of agents and threads in both directions, in
 * small pages: each group once, with the figures and at the place that it has in the reference.
 */
import { deepEqual, equal } from "node:assert/strict";

import fc from "fast-check";

import { memoryTurns } from "../ledger/memory-turns.ts";
import { microsOf } from "../ledger/turn-fields.ts";
import { groupOrderFields } from "../ledger/turn-query.ts";
import type {
  GroupedTurns,
  GroupField,
  GroupPosition,
  GroupsPaging,
  TurnReader,
} from "../ledger/turn-query.ts";
import { heldOf } from "../ledger/turn-writes.ts";
import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { holdsForEvery } from "./random-runs.ts";
import { turnRecords } from "./random-turns.ts";
import { time } from "./random-values.ts";
import { sampleRecord } from "./sample-record.ts";
import { allTenants } from "./sample-event.ts";

const query = { scope: allTenants, where: [] };
const lists: readonly GroupField[] = ["agent_id", "thread_id"];
const orders = groupOrderFields.flatMap((by) =>
  [false, true].map((ascending) => ({ by, ascending })),
);
/** One history is walked in some of the orders: few are as many reads as other clauses have. */
const walkedOrders = 6;
const fewer = 3;

async function walked(
  reader: TurnReader,
  by: GroupField,
  paging: GroupsPaging,
): Promise<readonly GroupedTurns[]> {
  const groups: GroupedTurns[] = [];
  let after: GroupPosition | undefined;
  do {
    const page = await reader.turnGroups(query, by, {
      ...paging,
      ...(after === undefined ? {} : { after }),
    });
    groups.push(...page.groups);
    // Pages that repeat would have no end.
    equal(new Set(groups.map(({ value }) => value)).size, groups.length, "a group is on two pages");
    after = page.next ?? undefined;
  } while (after !== undefined);
  return groups;
}

const history = fc.record({
  records: turnRecords,
  aheadFrom: fc.option(time.map(microsOf), { nil: undefined }),
  some: fc.shuffledSubarray(orders, { minLength: walkedOrders, maxLength: walkedOrders }),
});

/** The clauses about orders of groups. */
export const groupOrderClauses: readonly KitClause[] = [
  {
    name: "any order of agents and threads shows each once, over random histories",
    async run(harness) {
      await using store = await harness.open();
      let serial = 0;
      const { effort } = harness;
      const sequences = Math.ceil(effort.sequences / fewer);
      await holdsForEvery(
        history,
        async ({ records: drawn, aheadFrom, some }) => {
          serial += 1;
          const records = drawn.map((record) => ({ ...record, key: `${serial} ${record.key}` }));
          const reference = memoryTurns();
          await reference.putTurns(records);
          await store.ledger.putTurns(records);
          const ahead = aheadFrom === undefined ? {} : { aheadFrom };
          try {
            for (const by of lists) {
              for (const order of some) {
                const of = { order, ...ahead };
                const wanted = await walked(reference, by, { ...of, limit: 100 });
                const shown = await walked(store.ledger, by, { ...of, limit: 2 });
                deepEqual(shown, wanted, `${by} ${JSON.stringify(of)}`);
              }
            }
          } finally {
            const version = { epoch: 1_000, rows: 1, settled: true };
            await store.ledger.dropTurns(records.map((one) => ({ ...heldOf(one), version })));
          }
        },
        { ...effort, sequences },
      );
    },
  },
  onStore("an agent's p95 and its share of failed turns are exact", async ({ ledger }) => {
    // 21 durations: the nearest rank of 95 % is the 20th; two more are unknown.
    const turnOf = (agent: string, n: number, fields: object) =>
      sampleRecord(`${agent} ${n}`, { agent_id: agent, ...fields });
    const many = Array.from({ length: 23 }, (_, n) =>
      turnOf("many", n, {
        duration_ms: n < 21 ? (n + 1) * 10 : null,
        verdict: n === 0 ? null : n < 8 ? "failed" : "success",
      }),
    );
    const few = [
      turnOf("few", 1, { duration_ms: 205, verdict: "failed" }),
      turnOf("few", 2, { duration_ms: 1, verdict: "partial" }),
      turnOf("few", 3, { duration_ms: 1, verdict: null }),
    ];
    const none = [turnOf("none", 1, { duration_ms: null, verdict: null })];
    await ledger.putTurns([...many, ...few, ...none]);
    const ranks = async (by: "p95_ms" | "failed_share") => {
      const groups = await walked(ledger, "agent_id", { order: { by }, limit: 1 });
      return groups.map(({ value, rank }) => [value, rank]);
    };
    deepEqual(await ranks("p95_ms"), [
      ["few", 205],
      ["many", 200],
      ["none", null],
    ]);
    // Of the judged turns: 1 of 2, 7 of 22.
    deepEqual(await ranks("failed_share"), [
      ["few", 1 / 2],
      ["many", 7 / 22],
      ["none", null],
    ]);
  }),
];
