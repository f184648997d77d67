/**
 * @module Insert: a batch into the tables: columns it touches for the first time, where its ids
 * occur, its rows, and the manifest last, so that a half-written batch is never taken for whole.
 * One insert holds one week of receipt; its token is a hash of the batch, so the same batch sent
 * again leaves one copy.
 */
import { createHash } from "node:crypto";

import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { EvidenceBatch } from "../evidence-store.ts";
import { epochMicros } from "../time.ts";
import type { Engine } from "./connection.ts";
import { addTerms, termHasher } from "./locate-terms.ts";
import { arrivalHash } from "./locate.ts";
import { murmur32 } from "./murmur.ts";
import { nativeBlock } from "./native-writer.ts";
import type { NativeBlock } from "./native-writer.ts";
import type { ReceiptSpan, ReceiptSpans } from "./receipt-span.ts";
import { encodeRow } from "./row-encode.ts";

/** Seconds of a bucket of receipt, the unit of the locate table and of the sorting key. */
const bucketSeconds = 300;

const weekSeconds = 604_800;
/** Monday, 5 January 1970: weeks are counted as `toMonday` cuts them. */
const firstMonday = 345_600;

/** Writes batches; `touched` is shared with the reader. */
export interface Inserter {
  insert(batch: EvidenceBatch): Promise<void>;
}

/** An inserter over the engine. */
export function inserter(engine: Engine, touched: Set<string>, spans: ReceiptSpans): Inserter {
  const hashOf = termHasher();
  return {
    async insert(batch) {
      const prepared = prepare(batch, hashOf);
      for (const [week, part] of prepared.weeks) {
        const token = tokenOf(batch.batchId, week);
        await touch(engine, touched, part.rows);
        await engine.insert("locate", part.locate, `${token}l`);
        await engine.insert("events", part.rows, `${token}e`);
      }
      if (batch.events.length > 0) spans.note(prepared.span);
      await engine.insert("batches", prepared.manifest, `${tokenOf(batch.batchId, 0)}m`);
    },
  };
}

interface Part {
  readonly rows: NativeBlock;
  readonly locate: NativeBlock;
}

interface Prepared {
  readonly weeks: ReadonlyMap<number, Part>;
  readonly manifest: NativeBlock;
  readonly span: ReceiptSpan;
}

/** The blocks of a batch. Throws before anything is written when a row can never pass. */
function prepare(batch: EvidenceBatch, hashOf: (term: string) => number): Prepared {
  const number = batchNumber(batch.batchId);
  const weeks = new Map<number, Located>();
  let digest = 0n;
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
      part = { rows: nativeBlock(), locate: nativeBlock(), places: new Map(), arrivals: new Map() };
      weeks.set(week, part);
    }
    encode(part.rows, event, micros, number);
    digest += BigInt(murmur32(rowMark(event)));
    const bucket = seconds - (seconds % bucketSeconds);
    let place = part.places.get(bucket);
    if (place === undefined) {
      place = new Map();
      part.places.set(bucket, place);
    }
    placeTerms(event, hashOf, place);
    const root = hashOf(event.root_trace_id ?? "");
    const heard = part.arrivals.get(seconds);
    if (heard === undefined) part.arrivals.set(seconds, new Set([root]));
    else heard.add(root);
  }
  for (const part of weeks.values()) locateRows(part);
  const events = batch.events.length;
  const held = {
    first: events === 0 ? epochMicros(batch.receivedAt) : first,
    last,
    events,
    digest,
  };
  return { weeks, manifest: manifestBlock(batch, number, held), span: { first, last } };
}

/** What of a part goes into the locate table. */
interface Located extends Part {
  readonly places: Map<number, Place>;
  /** Roots by the second in which something of theirs was received. */
  readonly arrivals: Map<number, Set<number>>;
}

function locateRows({ locate, places, arrivals }: Located): void {
  const put = (hash: number, seconds: number, root: number): void => {
    locate.set("hash", "UInt32", hash);
    locate.set("bucket", "DateTime('UTC')", seconds);
    locate.set("root", "UInt32", root);
    locate.endRow();
  };
  for (const [seconds, roots] of arrivals)
    for (const root of roots) put(arrivalHash, seconds, root);
  for (const [bucket, roots] of places) {
    for (const [root, hashes] of roots) for (const hash of hashes) put(hash, bucket, root);
  }
}

/** Hashes of terms by the hash of their root; coarse terms stand under no root. */
type Place = Map<number, Set<number>>;

const noRoot = 0;

function placeTerms(event: TurnEvent, hashOf: (term: string) => number, place: Place): void {
  const of = (root: number): Set<number> => {
    const known = place.get(root);
    if (known !== undefined) return known;
    const fresh = new Set<number>();
    place.set(root, fresh);
    return fresh;
  };
  const own = of(hashOf(event.root_trace_id ?? ""));
  const coarse = of(noRoot);
  addTerms(
    event,
    (term) => own.add(hashOf(term)),
    (term) => coarse.add(hashOf(term)),
  );
}

function encode(rows: NativeBlock, event: TurnEvent, micros: number, number: bigint): void {
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

function manifestBlock(batch: EvidenceBatch, number: bigint, held: Held): NativeBlock {
  const block = nativeBlock();
  block.set("batch", "UInt64", number);
  block.set("batch_id", "String", batch.batchId);
  block.set("first_received", "DateTime64(6, 'UTC')", held.first);
  block.set("last_received", "DateTime64(6, 'UTC')", Math.max(held.first, held.last));
  block.set("events", "UInt32", held.events);
  block.set("digest", "UInt64", held.digest);
  block.endRow();
  return block;
}

/** Names the columns that this block is the first to set. */
async function touch(engine: Engine, touched: Set<string>, rows: NativeBlock): Promise<void> {
  const fresh = rows.columns().filter(({ name }) => !touched.has(name));
  if (fresh.length === 0) return;
  const block = nativeBlock();
  for (const { name } of fresh) {
    block.set("name", "LowCardinality(String)", name);
    block.endRow();
  }
  const names = fresh.map(({ name }) => name).join(",");
  await engine.insert("touched", block, tokenOf(names, 0));
  for (const { name } of fresh) touched.add(name);
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

function tokenOf(batchId: string, week: number): string {
  return createHash("sha256").update(`${week}/${batchId}`).digest("hex");
}
