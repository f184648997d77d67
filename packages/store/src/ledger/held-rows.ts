/**
 * @module HeldRows: stored rows of one root in memory, packed as in a bundle: a fifth of the bytes
 * of the events, and nothing for the garbage collector to traverse.
 */
import { compareTimes } from "@turnproof/evidence";

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

  /** Approximate memory of the packed rows. */
  get bytes(): number {
    return this.segments.reduce((sum, { length }) => sum + length + segmentBytes, rootBytes);
  }

  add(row: StoredEvent): void {
    this.unpacked.push(row);
    this.count += 1;
    this.saw(row.received_at);
  }

  /** Adds all rows of another part of the root. */
  join(other: HeldRows): void {
    other.pack();
    this.segments.push(...other.segments);
    this.count += other.count;
    this.saw(other.first);
    this.saw(other.last);
  }

  /** All rows in the order they were added, decoded anew. */
  all(): readonly StoredEvent[] {
    this.pack();
    return decodeBody(this.root, joinSegments(this.segments));
  }

  /** All rows as events for settling: each has one content. */
  unsettled(): readonly StoredEvent[] {
    this.pack();
    const rows = decodeBody(this.root, joinSegments(this.segments));
    // In place, because the rows are this call's own: settling would copy each of them.
    for (const row of rows as { revision?: number }[]) row.revision = 1;
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

const segmentBytes = 64;
const rootBytes = 256;
