/**
 * @module HeldRows: stored rows of one root in memory, packed as in a bundle: a fifth of the bytes
 * of the events, and nothing for the garbage collector to traverse. Rows of the current batch stay
 * unpacked until its turns are written, because unpacking costs as much as folding.
 */

import { compareTimes } from "@turnproof/semconv";

import { decodeBody } from "../bundle/decode.ts";
import { encodeSegment, joinSegments } from "../bundle/encode.ts";
import type { StoredEvent } from "../stored-event.ts";

/** Rows of one root. */
export class HeldRows {
  /** Number of rows. */
  count = 0;
  /** Receipts of the first and the last, ISO 8601 UTC; empty without rows. */
  first = "";
  last = "";
  private readonly root: string;
  private readonly segments: string[] = [];
  private unpacked: StoredEvent[] = [];

  constructor(root: string) {
    this.root = root;
  }

  /** Approximate memory of the rows. */
  get bytes(): number {
    const unpacked = this.unpacked.length * eventBytes;
    return this.segments.reduce(
      (sum, { length }) => sum + length + segmentBytes,
      rootBytes + unpacked,
    );
  }

  /** Adds a row, which is the caller's no more: readers receive this object. */
  add(row: StoredEvent): void {
    this.unpacked.push(row);
    this.count += 1;
    this.saw(row.received_at);
  }

  /** Adds all rows of another part of the root. */
  join(other: HeldRows): void {
    if (other.segments.length > 0) this.pack();
    this.segments.push(...other.segments);
    this.unpacked.push(...other.unpacked);
    this.count += other.count;
    this.saw(other.first);
    this.saw(other.last);
  }

  /** All rows in the order they were added; those that are packed are decoded anew. */
  all(): readonly StoredEvent[] {
    const { segments, unpacked } = this;
    if (segments.length === 0) return unpacked;
    return [...decodeBody(this.root, joinSegments(segments)), ...unpacked];
  }

  /** All rows as events for settling: each has one content. */
  unsettled(): readonly StoredEvent[] {
    const rows = this.all();
    // In place, because the rows are this one's own: settling would copy each of them.
    for (const row of rows as readonly { revision?: number }[]) row.revision = 1;
    return rows;
  }

  /** Packs the rows added since; the next rows begin a segment. */
  pack(): void {
    if (this.unpacked.length === 0) return;
    this.segments.push(encodeSegment(this.unpacked));
    this.unpacked = [];
  }

  private saw(at: string): void {
    if (this.first === "" || compareTimes(at, this.first) < 0) this.first = at;
    if (compareTimes(at, this.last) > 0) this.last = at;
  }
}

const eventBytes = 1_500;
const segmentBytes = 64;
const rootBytes = 256;
