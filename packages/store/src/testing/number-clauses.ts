/**
 * @module NumberClauses: a number of a turn is not the number of the same name of its calls, and
 * one that is unknown is not zero.
 */
import { deepEqual, equal } from "node:assert/strict";

import type { TurnCondition, TurnQuery } from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { allTenants } from "./sample-event.ts";
import { sampleRecord } from "./sample-record.ts";

/** Numbers that a turn and each of its calls have. */
const shared = ["duration_ms", "input_tokens", "output_tokens", "cached_tokens"] as const;

/** A turn whose numbers are `own`, with a call of a tool and one of a model whose are `called`. */
function turn(key: string, own: number, called: number): TurnRecord {
  const numbers = (value: number) => Object.fromEntries(shared.map((name) => [name, value]));
  const record = sampleRecord(key, { ...numbers(own), agent_id: key, models: [key] });
  const calls = record.calls.flatMap((call) =>
    (["tool", "model"] as const).map((kind) => ({ ...call, ...numbers(called), kind })),
  );
  return { ...record, calls };
}

/** The clauses. */
export const numberClauses: readonly KitClause[] = [
  onStore(
    "a condition on a number of turns holds for the turns in every figure, and not for their calls",
    async ({ ledger }) => {
      await ledger.putTurns([turn("high", 100, 1), turn("low", 1, 100)]);
      for (const number of shared) {
        const high: TurnCondition = { number, sign: ">", value: 50 };
        for (const [condition, key] of [
          [high, "high"],
          [{ ...high, not: true }, "low"],
        ] as const) {
          const query: TurnQuery = { scope: allTenants, where: [condition] };
          equal(await ledger.countTurns(query), 1);
          for (const kind of ["tool", "model"] as const) {
            for (const options of [undefined, { everyMs: 1_000 }, { inputSteps: [1] }]) {
              const calls = await ledger.callFigures(query, kind, ["name"], options);
              const found = calls.map((one) => [one.group, one.calls, one.p50_ms]);
              deepEqual(found, [[{ name: key }, 1, key === "high" ? 1 : 100]]);
            }
          }
          const figures = await ledger.turnFigures(query, { by: "agent_id" });
          deepEqual(
            figures.map(({ value, turns }) => [value, turns]),
            [[key, 1]],
          );
          const counts = await ledger.turnCounts(query, { by: "agent_id", also: condition });
          deepEqual(
            counts.map(({ value, turns, also }) => [value, turns, also]),
            [[key, 1, 1]],
          );
          const { groups } = await ledger.turnGroups(query, "agent_id", { limit: 9 });
          deepEqual(
            groups.map(({ value, turns }) => [value, turns]),
            [[key, 1]],
          );
          const [facet] = await ledger.turnFacets(query, ["agent_id"], 9);
          deepEqual(facet?.values, [{ value: key, turns: 1 }]);
        }
      }
    },
  ),
  onStore(
    "input, output and cached tokens each count the turns without them, in every figure of turns",
    async ({ ledger }) => {
      const tokens = [
        [0, 9, null],
        [0, null, 0],
        [null, 3, 2],
        [null, null, null],
      ] as const;
      await ledger.putTurns(
        tokens.map(([input_tokens, output_tokens, cached_tokens], at) =>
          sampleRecord(`t-${at}`, { agent_id: "a", input_tokens, output_tokens, cached_tokens }),
        ),
      );
      const query: TurnQuery = { scope: allTenants, where: [] };
      const { groups } = await ledger.turnGroups(query, "agent_id", { limit: 9 });
      for (const figures of [
        ...(await ledger.turnFigures(query, {})),
        ...(await ledger.turnFigures(query, { by: "agent_id", everyMs: 86_400_000 })),
        ...groups,
      ]) {
        deepEqual([figures.input_tokens, figures.input_unknown], [0, 2]);
        deepEqual([figures.output_tokens, figures.output_unknown], [12, 2]);
        deepEqual([figures.cached_of_tokens, figures.cached_unknown], [0, 3]);
        equal(figures.tokens_unknown, 1);
      }
    },
  ),
];
