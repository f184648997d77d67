/** ClickHouse answers every question of the ledger as the reference does. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { turnsTableSql } from "../../../packages/store/src/clickhouse/turn-columns.ts";
import { clickhouseTurns } from "../../../packages/store/src/clickhouse/turn-ledger.ts";
import { memoryTurns } from "../../../packages/store/src/ledger/memory-turns.ts";
import { turnHistories } from "../../../packages/store/src/testing/random-turns.ts";
import { askAll } from "../../../packages/store/src/testing/turn-answers.ts";

test(
  "lists, counts, facets, figures and calls are the reference's over random histories",
  { timeout: 300_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "turnproof-ledger-"));
    const engine = await openEngine({ dataDir: directory });
    await engine.command(turnsTableSql);
    try {
      await fc.assert(
        fc.asyncProperty(turnHistories, async (history) => {
          await engine.command("TRUNCATE TABLE turn_ledger");
          const [wanted, told] = [
            await askAll(memoryTurns(), history),
            await askAll(clickhouseTurns(engine), history),
          ];
          expect(told).toEqual(wanted);
        }),
        { numRuns: Number(process.env["RUNS"] ?? 12) },
      );
    } finally {
      await engine.close();
      await rm(directory, { recursive: true });
    }
  },
);
