/**
 * @module BundleTable: rows of the bundles table as blocks of the engine's own format. Pure and
 * without I/O, so that a worker thread can build them.
 */
import { createHash } from "node:crypto";

import { CodedError, epochMicros, groupBy } from "@turnproof/semconv";

import { murmur32 } from "../bundle/murmur.ts";
import { packBundles } from "../bundle/pack.ts";
import type { BundleRow } from "../bundle/pack.ts";
import { ownRangeOf } from "../bundle/own-range.ts";
import { idWord } from "../bundle/bundle-words.ts";
import type { StoredEvent } from "../stored-event.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";

const time = "DateTime64(6, 'UTC')";

/** Bits of an event's hash that are indexed: the fourth byte would cost 3 bytes an event. */
const wordMask = 0xff_ff_ff;

/** A word that no event has: its fourth byte is not zero. */
export function ownWord(text: string): number {
  const hash = murmur32(text);
  return hash > wordMask ? hash : (hash | (wordMask + 1)) >>> 0;
}

/** The word under which the rows of a batch are indexed. */
export function batchWord(batchId: string): number {
  return ownWord(`batch:${batchId}`);
}

/** Words under which a batch may be indexed: that of this version, and of an older one. */
export function batchWords(batchId: string): readonly number[] {
  return [batchWord(batchId), murmur32(`batch:${batchId}`)];
}

/** The number of a batch in its rows. */
export function batchNumber(batchId: string): bigint {
  return createHash("sha256").update(batchId).digest().readBigUInt64LE(0);
}

/**
 * A condition served by the index of words: a row has one of these hashes, which are of events. A
 * row of an older version has all bits of them.
 */
export function hasAnySql(hashes: readonly number[]): string {
  return hasAnyWordSql([...new Set(hashes.flatMap((hash) => [hash & wordMask, hash]))]);
}

/**
 * A condition served by the index: a row has one of these words. The list is one constant: the
 * engine takes five times as long to analyse a call for each word.
 */
export function hasAnyWordSql(words: readonly number[]): string {
  const list = `CAST([${words.join(", ")}], 'Array(UInt32)')`;
  return `hasAny(ids, arrayMap(x -> reinterpretAsFixedString(x), ${list}))`;
}

/**
 * Value of the column by which the rows of a root are found; the word of its id is indexed too.
 */
export function rootHash(root: string): number {
  return murmur32(idWord(root));
}

/** A condition for the rows of these roots, and of any other root with one of their hashes. */
export function ofRootsSql(roots: readonly string[]): string {
  const hashes = roots.map(rootHash);
  return `${hasAnySql(hashes)} AND root IN (${hashes.join(", ")})`;
}

/** A block of rows of one week of receipt: one insert writes one partition. */
export interface WeekBlock {
  readonly week: number;
  readonly block: EncodedBlock;
}

/** The batch of some rows, and the values common to them. */
export interface RowsOfBatch {
  readonly number: bigint;
  /** Number of events of the batch, in all its rows. */
  readonly events: number;
  /** Words by which its rows are indexed, beside those of their events. */
  readonly words: readonly number[];
  readonly rows: readonly BundleRow[];
}

/**
 * The rows of some events. @throws CodedError `store_rejected_row` for a time outside the range
 */
export function bundleRows(events: readonly StoredEvent[]): readonly BundleRow[] {
  const rows = packBundles(events);
  if (rows.some(({ first_received: at }) => !Number.isSafeInteger(at) || at < 0)) {
    throw new CodedError("store_rejected_row");
  }
  return rows;
}

/** The row of a batch without events: its body is empty. */
export function emptyRow(receivedAt: string): BundleRow {
  const at = epochMicros(receivedAt);
  return {
    root_trace_id: "",
    first_received: at,
    last_received: at,
    ...ownRangeOf([{ timestamp: receivedAt }]),
    events: 0,
    evidence: false,
    hashes: [],
    segments: "",
  };
}

/** The blocks of some batches, by week of receipt. */
export function encodeRows(batches: readonly RowsOfBatch[]): readonly WeekBlock[] {
  const rows = batches.flatMap((batch) => batch.rows.map((row) => ({ batch, row })));
  // Sorted by a prefix of the table's key, so that the engine sorts less.
  rows.sort((a, b) => a.row.last_received - b.row.last_received);
  return [...groupBy(rows, ({ row }) => weekOf(row.last_received))].map(([week, own]) => {
    const block = new NativeBlock();
    const roots = new Map<string, number>();
    for (const { batch, row } of own) {
      putRow(block, row, batch);
      const { root_trace_id: root, events } = row;
      roots.set(root, (roots.get(root) ?? 0) + events);
    }
    return { week, block: { ...block.encode(), roots: [...roots] } };
  });
}

/** Weeks since Monday, 5 January 1970, with the boundaries of `toMonday`. */
function weekOf(micros: number): number {
  return Math.floor((micros / 1_000_000 - 345_600) / 604_800);
}

function putRow(block: NativeBlock, row: BundleRow, batch: RowsOfBatch): void {
  block.set("received_at", time, row.last_received);
  block.set("first_received", time, row.first_received);
  block.set("own_from", "Int64", row.own_from);
  block.set("own_to", "Int64", row.own_to);
  block.set("root", "UInt32", rootHash(row.root_trace_id));
  block.set("root_trace_id", "String", row.root_trace_id);
  block.set("evidence", "Bool", row.evidence);
  block.set("events", "UInt16", row.events);
  block.set("batch", "UInt64", batch.number);
  block.set("batch_events", "UInt32", batch.events);
  block.set("body", "String", row.segments);
  block.set("hashes", "Array(UInt32)", [...batch.words, ...wordsOf(row)]);
  block.endRow();
}

function wordsOf({ hashes }: BundleRow): readonly number[] {
  return [...new Set(hashes.map((hash) => hash & wordMask))];
}
