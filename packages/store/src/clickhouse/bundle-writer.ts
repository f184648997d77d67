/**
 * @module BundleWriter: writes batches to the bundles table. One insert contains one week of
 * receipt and its token names the batch, so that a batch sent again is stored once. Read-back
 * counts the stored events of a batch and compares them with the number in each of its rows.
 */
import { createHash } from "node:crypto";

import type { BatchReadback } from "@turnproof/evidence";

import { batchNumber, batchWords, hasAnyWordSql } from "./bundle-table.ts";
import type { WeekBlock } from "./bundle-table.ts";
import type { Engine } from "./engine.ts";
import { smallSettings } from "./engine-client.ts";
import type { PreparedBundles } from "./prepared-batch.ts";

/** Inserts a batch; resolves when it is durable. */
export async function insertBatch(engine: Engine, batch: PreparedBundles): Promise<void> {
  await insertWeeks(engine, batch.weeks, batch.batchId);
}

/** Inserts blocks, week by week, under a unique name. */
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
 * Counts the events of a batch (faults R9, R11). A batch that was sent again much later may be
 * stored twice; of a batch whose roots were rewritten the rest is counted.
 */
export async function readBack(engine: Engine, batchId: string): Promise<BatchReadback> {
  const answer = await engine.query(
    `SELECT toFloat64(sum(events)) AS rows, toFloat64(max(batch_events)) AS wanted,
    toFloat64(count()) AS bundles
FROM bundles WHERE ${hasAnyWordSql(batchWords(batchId))} AND batch = ${batchNumber(batchId)}
SETTINGS ${smallSettings}`,
  );
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  const [rows, wanted] = [at("rows"), at("wanted")];
  return { rows: Math.min(rows, wanted), complete: at("bundles") > 0 && rows >= wanted };
}
