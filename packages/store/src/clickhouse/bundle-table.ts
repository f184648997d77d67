/**
 * @module BundleTable: packed bundles in ClickHouse, one row per root and batch. A text index over hashed words finds candidates; the body decides. A row says how many events its
 * batch has, so that a batch can be counted without a table of batches.
 */
import type { EvidenceBatch } from "@turnproof/evidence";
import { groupBy } from "@turnproof/semconv";

import { murmur32 } from "../bundle/murmur.ts";
import { packBundles } from "../bundle/pack.ts";
import type { BundleRow } from "../bundle/pack.ts";
import { idWord } from "../bundle/words.ts";
import { microseconds, storedForm } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";
import { batchNumber } from "./prepared-batch.ts";

/** Statement that makes the table. Parts are compact: a wide one has a file for each column. */
export const bundlesTableSql = `CREATE TABLE IF NOT EXISTS bundles
(
    received_at DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    first_received DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    root UInt32 CODEC(ZSTD(1)),
    root_trace_id String CODEC(ZSTD(1)),
    evidence Bool CODEC(ZSTD(1)),
    events UInt16 CODEC(ZSTD(1)),
    batch UInt64 CODEC(ZSTD(1)),
    batch_events UInt32 CODEC(ZSTD(1)),
    body String CODEC(ZSTD(1)),
    hashes Array(UInt32) EPHEMERAL [],
    ids Array(FixedString(4)) DEFAULT arrayMap(x -> reinterpretAsFixedString(x), hashes) CODEC(ZSTD(1)),
    INDEX named ids TYPE text(tokenizer = 'array') GRANULARITY 100000000
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (toDateTime(received_at), root)
SETTINGS index_granularity = 64, min_bytes_for_wide_part = '100G', min_rows_for_wide_part = 0,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1,
    non_replicated_deduplication_window = 10000`;

const time = "DateTime64(6, 'UTC')";

/** The word by which the rows of a batch are found. */
export function batchWord(batchId: string): number {
  return murmur32(`batch:${batchId}`);
}

/** A condition that the index of words serves: a row has one of these hashes. */
export function hasAnySql(hashes: readonly number[]): string {
  const forms = hashes.map((hash) => `reinterpretAsFixedString(toUInt32(${hash}))`);
  return `hasAny(ids, [${forms.join(", ")}])`;
}

/** The column by which the rows of a root are found; the word of its id is in the index as well. */
export function rootHash(root: string): number {
  return murmur32(idWord(root));
}

/** Blocks of a batch: one insert holds one partition. */
export interface WeekBlock {
  readonly week: number;
  readonly block: EncodedBlock;
}

/**
 * The blocks that hold a batch, by week of receipt. A batch without events has a row without a body.
 *
 * @throws CodedError `store_rejected_row` for an event that no store takes
 */
export function encodeBatch({ batchId, receivedAt, events }: EvidenceBatch): readonly WeekBlock[] {
  const packed = packBundles(events.map((event) => storedForm(event, receivedAt)));
  const rows = packed.length === 0 ? [emptyRow(receivedAt)] : packed.toSorted(byReceipt);
  const batch = { number: batchNumber(batchId), events: events.length, word: batchWord(batchId) };
  return [...groupBy(rows, ({ last_received: at }) => weekOf(at))].map(([week, own]) => {
    const block = new NativeBlock();
    for (const row of own) putRow(block, row, batch);
    return { week, block: block.encode() };
  });
}

/** Weeks since Monday, 5 January 1970, as `toMonday` cuts them. */
function weekOf(micros: number): number {
  return Math.floor((micros / 1_000_000 - 345_600) / 604_800);
}

interface Batch {
  readonly number: bigint;
  readonly events: number;
  readonly word: number;
}

function putRow(block: NativeBlock, row: BundleRow, batch: Batch): void {
  block.set("received_at", time, row.last_received);
  block.set("first_received", time, row.first_received);
  block.set("root", "UInt32", rootHash(row.root_trace_id));
  block.set("root_trace_id", "String", row.root_trace_id);
  block.set("evidence", "Bool", row.evidence);
  block.set("events", "UInt16", row.events);
  block.set("batch", "UInt64", batch.number);
  block.set("batch_events", "UInt32", batch.events);
  block.set("body", "String", row.segments);
  block.set("hashes", "Array(UInt32)", [...row.hashes, batch.word]);
  block.endRow();
}

/** In the order of the table's key as far as it goes, so that the engine sorts little. */
function byReceipt(a: BundleRow, b: BundleRow): number {
  return a.last_received - b.last_received;
}

function emptyRow(receivedAt: string): BundleRow {
  const at = epochMicros(microseconds(receivedAt));
  return {
    root_trace_id: "",
    first_received: at,
    last_received: at,
    events: 0,
    evidence: false,
    hashes: [],
    segments: "",
  };
}
