/**
 * @module RootRewrite: roots that lose rows. The remaining rows are written again as one batch,
 * the other rows of the root are deleted, and its turns are recorded again under a higher epoch.
 */
import { pinnedBatch, withoutCopies } from "../evidence-erasure.ts";
import type { Removal } from "../evidence-retention.ts";
import { recordRoots } from "../ledger/record-roots.ts";
import { settledEvents } from "../settle.ts";
import { batchNumber } from "./bundle-table.ts";
import { insertBatch } from "./bundle-writer.ts";
import { mutate } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";
import { withNames } from "./naming.ts";
import { prepareBatch } from "./prepared-batch.ts";
import { standingOf } from "./root-counts.ts";
import { bindings, inRuns, namesPerStatement } from "./sql-text.ts";
import { clickhouseTurns } from "./turn-ledger.ts";

/** Replaces each root that has not grown since it was read with its remaining rows. */
export async function rewriteRoots(
  tables: Tables,
  removals: readonly Removal<number>[],
): Promise<readonly number[]> {
  const { engine } = tables;
  const newest = await lastReceipts(engine, removals);
  const still = removals.filter(({ root, last }) => newest.get(root) === last);
  if (still.length === 0) return removals.map(() => 0);
  const batch = pinnedBatch(withoutCopies(still.flatMap(({ left }) => left)));
  const keep = batch === undefined ? 0n : batchNumber(batch.batchId);
  // Bundles are deleted last: after a killed run the next one finds its roots again.
  const roots = [...new Set(still.map(({ root }) => root))];
  await withNames(tables, { roots }, async (named) => {
    await raiseEpochs(engine, named.roots);
    await mutate(tables, "turn_ledger", `root_trace_id IN (${named.roots})`);
    await recordTurns(tables, still);
    if (batch !== undefined) await insertBatch(engine, prepareBatch(batch));
    await mutate(tables, "bundles", `root_trace_id IN (${named.roots}) AND batch != ${keep}`);
  });
  const done = new Set(still);
  return removals.map((removal) => (done.has(removal) ? removal.gone.length : 0));
}

async function lastReceipts(
  engine: Engine,
  removals: readonly Removal<number>[],
): Promise<ReadonlyMap<string, number>> {
  const receipts = new Map<string, number>();
  const roots = removals.map(({ root }) => root);
  for (const some of inRuns(roots, namesPerStatement)) {
    const bind = bindings();
    const answer = await engine.query(
      `SELECT root_trace_id, toFloat64(max(toUnixTimestamp64Micro(received_at))) AS last FROM bundles
WHERE root_trace_id IN ${bind.texts(some)} GROUP BY root_trace_id`,
      bind.parameters,
    );
    const lasts = answer.columns.get("last") ?? [];
    const names = (answer.columns.get("root_trace_id") ?? []) as readonly string[];
    for (const [at, name] of names.entries()) receipts.set(name, Number(lasts[at]));
  }
  return receipts;
}

/** Raises the epoch of each root of a query. */
export async function raiseEpochs(engine: Engine, roots: string): Promise<void> {
  await engine.command(`INSERT INTO root_epochs (root, epoch)
SELECT root, toUInt32(coalesce(held.epoch, 0) + 1) FROM
    (SELECT DISTINCT murmurHash3_32(concat('id:', root_trace_id)) AS root FROM (${roots})) AS named
LEFT JOIN (SELECT root, max(epoch) AS epoch FROM root_epochs GROUP BY root) AS held USING (root)`);
}

/** Provisional records of what remains of each root; the judge settles them. */
async function recordTurns(tables: Tables, removals: readonly Removal<number>[]): Promise<void> {
  const left = removals.filter(({ left: rows }) => rows.length > 0);
  const standing = await standingOf(
    tables.engine,
    left.map(({ root }) => root),
  );
  const whole = left.map(({ root, left: rows }) => ({
    root,
    events: settledEvents(rows),
    rows: withoutCopies(rows).length,
    epoch: standing.get(root)?.epoch ?? 0,
    // Existing turns of the root are deleted, not replaced.
    held: [],
  }));
  await recordRoots(clickhouseTurns(tables), whole);
}
