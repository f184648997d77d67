/**
 * @module Insert: prepared blocks into the tables: columns they touch for the first time, where
 * their ids occur, their turns, the rows, and the manifest last, so that a half-written batch is
 * never taken for whole. One insert holds one week of receipt; its token is a hash of the batch, so
 * the same batch sent again leaves one copy.
 */
import { createHash } from "node:crypto";

import type { Engine } from "./connection.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";
import type { PreparedBlocks } from "./prepared-batch.ts";
import type { ReceiptSpans } from "./receipt-span.ts";

/** Writes batches; `touched` is shared with the reader. */
export interface Inserter {
  insert(batch: PreparedBlocks): Promise<void>;
}

/** An inserter over the engine. */
export function inserter(engine: Engine, touched: Set<string>, spans: ReceiptSpans): Inserter {
  return {
    async insert(batch) {
      for (const { week, rows, locate, turns } of batch.weeks) {
        const token = tokenOf(batch.batchId, week);
        await touch(engine, touched, rows);
        await engine.insert("locate", locate, `${token}l`);
        if (turns.rows > 0) await engine.insert("turns", turns, `${token}t`);
        await engine.insert("events", rows, `${token}e`);
      }
      if (batch.events > 0) spans.note(batch.span);
      await engine.insert("batches", batch.manifest, `${tokenOf(batch.batchId, 0)}m`);
    },
  };
}

/** Names the columns that this block is the first to set. */
async function touch(engine: Engine, touched: Set<string>, rows: EncodedBlock): Promise<void> {
  const fresh = rows.columns.filter(({ name }) => !touched.has(name));
  if (fresh.length === 0) return;
  const block = new NativeBlock();
  for (const { name } of fresh) {
    block.set("name", "LowCardinality(String)", name);
    block.endRow();
  }
  const names = fresh.map(({ name }) => name).join(",");
  await engine.insert("touched", block.encode(), tokenOf(names, 0));
  for (const { name } of fresh) touched.add(name);
}

function tokenOf(batchId: string, week: number): string {
  return createHash("sha256").update(`${week}/${batchId}`).digest("hex");
}
