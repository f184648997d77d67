/**
 * @module PreparedBatch: a batch as blocks of the engine's own format: its rows by week of receipt,
 * where its ids occur, and the manifest. Pure and without I/O, and what it gives is plain data, so
 * that it may be made in another thread than the one that sends it (design 8: build blocks in a
 * worker).
 */
import { createHash } from "node:crypto";

import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { EvidenceBatch } from "../evidence-store.ts";
import { epochMicros } from "../time.ts";
import { LocatePlaces } from "./locate-places.ts";
import { murmur32 } from "./murmur.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";
import type { ReceiptSpan } from "./receipt-span.ts";
import { EventRows, encodeRow } from "./row-encode.ts";

const weekSeconds = 604_800;
/** Monday, 5 January 1970: weeks are counted as `toMonday` cuts them. */
const firstMonday = 345_600;

/** What of a batch was received in one week: one insert holds one partition. */
export interface PreparedWeek {
  readonly week: number;
  readonly rows: EncodedBlock;
  readonly locate: EncodedBlock;
}

/** A batch ready to be sent; plain data. */
export interface PreparedBatch {
  readonly batchId: string;
  readonly receivedAt: string;
  readonly events: number;
  readonly weeks: readonly PreparedWeek[];
  /** Goes last, so that a half-written batch is never taken for whole. */
  readonly manifest: EncodedBlock;
  /** Microseconds of the first and last receipt. */
  readonly span: ReceiptSpan;
}

interface Week {
  readonly rows: EventRows;
  readonly places: LocatePlaces;
}

/** The blocks of a batch. Throws `store_rejected_row` when a row can never pass. */
export function prepareBatch(batch: EvidenceBatch): PreparedBatch {
  const number = batchNumber(batch.batchId);
  const weeks = new Map<number, Week>();
  const marks = new MarkSum();
  let first = Number.MAX_SAFE_INTEGER;
  let last = 0;
  for (const event of batch.events) {
    const micros = epochMicros(event.received_at ?? batch.receivedAt);
    if (!Number.isSafeInteger(micros) || micros < 0) throw new CodedError("store_rejected_row");
    first = Math.min(first, micros);
    last = Math.max(last, micros);
    const seconds = Math.floor(micros / 1_000_000);
    const week = Math.floor((seconds - firstMonday) / weekSeconds);
    let part = weeks.get(week);
    if (part === undefined) {
      part = { rows: new EventRows(), places: new LocatePlaces() };
      weeks.set(week, part);
    }
    encode(part.rows, event, micros, number);
    marks.add(murmur32(rowMark(event)));
    part.places.add(event, seconds);
  }
  const events = batch.events.length;
  if (events === 0) first = epochMicros(batch.receivedAt);
  const held = { first, last, events, digest: marks.total() };
  return {
    batchId: batch.batchId,
    receivedAt: batch.receivedAt,
    events,
    weeks: [...weeks].map(([week, { rows, places }]) => ({
      week,
      rows: rows.block.encode(),
      locate: places.block().encode(),
    })),
    manifest: manifestBlock(batch, number, held),
    span: { first, last },
  };
}

/** The sum of 32-bit hashes, without a BigInt for each. */
class MarkSum {
  private carried = 0n;
  private low = 0;

  add(mark: number): void {
    this.low += mark;
    if (this.low < 2 ** 52) return;
    this.carried += BigInt(this.low);
    this.low = 0;
  }

  total(): bigint {
    return this.carried + BigInt(this.low);
  }
}

function encode(rows: EventRows, event: TurnEvent, micros: number, number: bigint): void {
  try {
    encodeRow(rows, event, micros, number);
  } catch (error) {
    if (CodedError.is(error)) throw error;
    // A number beyond the column's range: it will be so the next time as well.
    throw new CodedError("store_rejected_row");
  }
}

interface Held {
  readonly first: number;
  readonly last: number;
  readonly events: number;
  readonly digest: bigint;
}

function manifestBlock(batch: EvidenceBatch, number: bigint, held: Held): EncodedBlock {
  const block = new NativeBlock();
  block.set("batch", "UInt64", number);
  block.set("batch_id", "String", batch.batchId);
  block.set("first_received", "DateTime64(6, 'UTC')", held.first);
  block.set("last_received", "DateTime64(6, 'UTC')", Math.max(held.first, held.last));
  block.set("events", "UInt32", held.events);
  block.set("digest", "UInt64", held.digest);
  block.endRow();
  return block.encode();
}

/** What the manifest's digest says of one row; the SQL of it is {@link rowMarkSql}. */
function rowMark(event: TurnEvent): string {
  return `${event.root_trace_id ?? ""}/${event.span_id ?? ""}/${event.phase}/${event.event_id}`;
}

/** The same mark inside the engine. */
export const rowMarkSql = "concat(root_trace_id, '/', span_id, '/', phase, '/', full_event_id)";

/** The number under which the rows of a batch stand. */
export function batchNumber(batchId: string): bigint {
  return createHash("sha256").update(batchId).digest().readBigUInt64LE(0);
}
