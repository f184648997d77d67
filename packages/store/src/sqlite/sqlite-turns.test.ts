/** SQLite's answers to every ledger query equal the reference's. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { memoryTurns } from "../ledger/memory-turns.ts";
import { turnHistories } from "../testing/random-questions.ts";
import { requestAll } from "../testing/turn-answers.ts";
import { openSqlite } from "./sqlite-database.ts";
import { sqliteTurns } from "./sqlite-turns.ts";

test("lists, counts, facets, figures and calls are the reference's over random histories", async () => {
  await fc.assert(
    fc.asyncProperty(turnHistories, async (history) => {
      const database = openSqlite(":memory:");
      const wanted = await requestAll(memoryTurns(), history);
      expect(await requestAll(sqliteTurns(database, 0), history)).toEqual(wanted);
      database.close();
      const other = openSqlite(":memory:");
      expect(await requestAll(sqliteTurns(other), history)).toEqual(wanted);
      other.close();
    }),
    { numRuns: 200 },
  );
});
