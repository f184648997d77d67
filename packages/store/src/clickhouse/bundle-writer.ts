/**
 * @module BundleWriter: batches into the table of bundles. One insert holds one week of receipt and
 * its token names the batch, so that the same batch sent again leaves one copy. What the table
 * holds of a batch is counted against what each of its rows says that the batch has.
 */
import { createHash } from "node:crypto";

import type { BatchReadback } from "@turnproof/evidence";

import { batchNumber, batchWord, hasAnySql } from "./bundle-table.ts";
import type { WeekBlock } from "./bundle-table.ts";
import type { Engine } from "./connection.ts";
import type { PreparedBundles } from "./prepared-batch.ts";

/** Inserts a batch; resolves when it is durable. */
export async function insertBatch(engine: Engine, batch: PreparedBundles): Promise<void> {
  await insertWeeks(engine, batch.weeks, batch.batchId);
}

/** Inserts blocks, week by week, under a name that is theirs alone. */
export async function insertWeeks(
  engine: Engine,
  weeks: readonly WeekBlock[],
  name: string,
): Promise<void> {
  for (const { week, block } of weeks) {
    const token = createHash("sha256").update(`${week}/${name}`).digest("hex");
    await engine.insert("bundles", block, token);
  }
}

/**
 * Counts the events of a batch (faults R9, R11). A batch that was sent again long after may lie
 * twice; of one whose roots were rewritten the rest is counted.
 */
export async function readBack(engine: Engine, batchId: string): Promise<BatchReadback> {
  const answer = await engine.query(
    `SELECT toFloat64(sum(events)) AS rows, toFloat64(max(batch_events)) AS wanted,
    toFloat64(count()) AS bundles
FROM bundles WHERE ${hasAnySql([batchWord(batchId)])} AND batch = ${batchNumber(batchId)}`,
  );
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  const [rows, wanted] = [at("rows"), at("wanted")];
  return { rows: Math.min(rows, wanted), complete: at("bundles") > 0 && rows >= wanted };
}
