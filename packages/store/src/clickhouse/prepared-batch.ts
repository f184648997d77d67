/**
 * @module PreparedBatch: a batch as blocks of the engine's own format: its rows by week of receipt,
 * where its ids occur, its turns, and the manifest. Pure and without I/O, and what it gives is plain data, so
 * that it may be made in another thread than the one that sends it (design 8: build blocks in a
 * worker).
 */
import { createHash } from "node:crypto";

import type { EvidenceBatch, PreparedBatch, TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import { epochMicros } from "../time.ts";
import { LocatePlaces } from "./locate-places.ts";
import { murmur32 } from "../bundle/murmur.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";
import type { ReceiptSpan } from "./receipt-span.ts";
import { EventRows, encodeRow } from "./row-encode.ts";
import { TurnRows } from "./turn-rows.ts";

const weekSeconds = 604_800;
/** Monday, 5 January 1970: weeks are counted as `toMonday` cuts them. */
const firstMonday = 345_600;

/** What of a batch was received in one week: one insert holds one partition. */
export interface PreparedWeek {
  readonly week: number;
  readonly rows: EncodedBlock;
  readonly locate: EncodedBlock;
  readonly turns: EncodedBlock;
}

/** A batch ready to be sent; plain data. */
export interface PreparedBlocks extends PreparedBatch {
  readonly weeks: readonly PreparedWeek[];
  /** Goes last, so that a half-written batch is never taken for whole. */
  readonly manifest: EncodedBlock;
  /** Microseconds of the first and last receipt. */
  readonly span: ReceiptSpan;
}

interface Week {
  readonly rows: EventRows;
  readonly places: LocatePlaces;
  readonly turns: TurnRows;
}

/** The blocks of a batch. Throws `store_rejected_row` when a row can never pass. */
export function prepareBatch(batch: EvidenceBatch): PreparedBlocks {
  const preparer = new BlockPreparer();
  for (const event of batch.events) preparer.add(event, batch.receivedAt);
  return preparer.finish(batch.batchId, batch.receivedAt);
}

/** A batch under construction, event by event: none is kept, so memory holds the blocks only. */
export class BlockPreparer {
  private readonly weeks = new Map<number, Week>();
  private readonly marks = new MarkSum();
  private events = 0;
  private first = Number.MAX_SAFE_INTEGER;
  private last = 0;

  /** Adds an event. Throws `store_rejected_row` for one that can never pass. */
  add(event: TurnEvent, receivedAt: string): void {
    const micros = epochMicros(event.received_at ?? receivedAt);
    if (!Number.isSafeInteger(micros) || micros < 0) throw new CodedError("store_rejected_row");
    this.first = Math.min(this.first, micros);
    this.last = Math.max(this.last, micros);
    const seconds = Math.floor(micros / 1_000_000);
    const week = Math.floor((seconds - firstMonday) / weekSeconds);
    let part = this.weeks.get(week);
    if (part === undefined) {
      part = { rows: new EventRows(), places: new LocatePlaces(), turns: new TurnRows() };
      this.weeks.set(week, part);
    }
    encode(part.rows, event, micros);
    this.marks.add(murmur32(rowMark(event)));
    part.places.add(event, seconds);
    part.turns.add(event, seconds);
    this.events += 1;
  }

  /** The batch, under its id. */
  finish(batchId: string, receivedAt: string): PreparedBlocks {
    const number = batchNumber(batchId);
    const { events, last } = this;
    const first = events === 0 ? epochMicros(receivedAt) : this.first;
    const held = { first, last, events, digest: this.marks.total() };
    const weeks = [...this.weeks].map(([week, { rows, places, turns }]) => ({
      week,
      rows: rows.encode(number),
      locate: places.block().encode(),
      turns: turns.block().encode(),
    }));
    const manifest = manifestBlock(batchId, number, held);
    return { batchId, receivedAt, events, weeks, manifest, span: { first, last } };
  }
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

function encode(rows: EventRows, event: TurnEvent, micros: number): void {
  try {
    encodeRow(rows, event, micros);
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

function manifestBlock(batchId: string, number: bigint, held: Held): EncodedBlock {
  const block = new NativeBlock();
  block.set("batch", "UInt64", number);
  block.set("batch_id", "String", batchId);
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
