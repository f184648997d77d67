/** SQLite answers every question as the reference does. */
import { DatabaseSync } from "node:sqlite";

import fc from "fast-check";
import { expect, test } from "vitest";

import { memoryTurns } from "../ledger/memory-turns.ts";
import type { CallField, TurnPlace, TurnQuestion } from "../ledger/turn-question.ts";
import { countedField, randomCondition, randomOrder, randomTurn } from "../testing/random-turns.ts";
import { everybody } from "../testing/sample-event.ts";
import { sqliteTurns } from "./sqlite-turns.ts";

const scope = fc.oneof(
  fc.constant(everybody),
  fc.constantFrom("one", "o'ne", "").map((tenant) => ({ tenant })),
  fc.constant({ tenant: null }),
  fc.constant({ tenant: "one", applicationId: "two" }),
);
const callField = fc.constantFrom<CallField[]>(
  "name",
  "provider",
  "outcome",
  "error_type",
  "agent_id",
  "release",
);

test("lists, counts, facets, figures and calls are the reference's over random histories", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomTurn, { maxLength: 80, size: "max" }),
      fc.array(randomCondition, { maxLength: 2 }),
      fc.record({
        scope,
        order: randomOrder,
        field: countedField,
        by: fc.uniqueArray(callField, { maxLength: 3 }),
        everyMs: fc.constantFrom(undefined, 1, 60_000, 86_400_000),
        gone: fc.array(randomTurn, { maxLength: 2 }),
      }),
      async (records, where, asked) => {
        using database = new DatabaseSync(":memory:");
        const stores = [memoryTurns(), sqliteTurns(database)] as const;
        const question: TurnQuestion = { scope: asked.scope, where };
        const { field, by, everyMs, order } = asked;
        const answers = await Promise.all(
          stores.map(async (store) => {
            await store.putTurns(records.slice(0, 20));
            await store.putTurns(records.slice(20));
            await store.dropTurns(asked.gone);
            const pages = [];
            let after: TurnPlace | undefined;
            for (;;) {
              const page = await store.listTurns(question, {
                order,
                limit: 5,
                ...(after === undefined ? {} : { after }),
              });
              pages.push(page.records);
              if (page.next === null) break;
              after = page.next;
            }
            return {
              pages,
              count: await store.countTurns(question),
              facets: await store.turnFacets(question, [field, "verdict", "tool_name"], 3),
              all: await store.turnFigures(question, {}),
              figures: await store.turnFigures(question, {
                by: field,
                ...(everyMs === undefined ? {} : { everyMs }),
              }),
              tools: await store.callFigures(question, "tool", by),
              models: await store.callFigures(question, "model", ["name", "release"]),
            };
          }),
        );
        expect(answers[1]).toEqual(answers[0]);
      },
    ),
    { numRuns: 200 },
  );
});
