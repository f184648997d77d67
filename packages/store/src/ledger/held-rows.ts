/**
 * @module HeldRows: stored rows of one root in memory. Packed, they are one text as a bundle has
 * it: a fifth of the bytes, and nothing for the garbage collector to walk.
 */
import { decodeBody } from "../bundle/decode.ts";
import { encodeSegment, joinSegments } from "../bundle/encode.ts";
import type { StoredEvent } from "../stored-event.ts";

/** Rows of one root. */
export class HeldRows {
  private readonly root: string;
  private unpacked: StoredEvent[] = [];
  private readonly segments: string[] = [];
  private held = 0;

  constructor(root: string) {
    this.root = root;
  }

  /** About what the rows take in memory. */
  get bytes(): number {
    return this.held;
  }

  /** Whether there is nothing to pack. */
  get isPacked(): boolean {
    return this.unpacked.length === 0;
  }

  add(rows: readonly StoredEvent[]): void {
    for (const row of rows) {
      this.unpacked.push(row);
      this.held += sizeOf(row);
    }
  }

  /** All rows as they were added. */
  all(): readonly StoredEvent[] {
    if (this.segments.length === 0) return this.unpacked;
    return [...decodeBody(this.root, joinSegments(this.segments)), ...this.unpacked];
  }

  /** Packs what is not packed. */
  pack(): void {
    if (this.unpacked.length === 0) return;
    this.segments.push(encodeSegment(this.unpacked));
    this.unpacked = [];
    this.held = this.segments.reduce((sum, { length }) => sum + length + textBytesEach, 0);
  }
}

const textBytesEach = 64;

/** About what an event takes: its slots, and its texts. */
function sizeOf(event: StoredEvent): number {
  let bytes = eventBytes;
  for (const value of Object.values(event)) bytes += textBytes(value);
  for (const value of Object.values(event.attributes)) bytes += textBytes(value);
  return bytes;
}

const eventBytes = 512;
const slotBytes = 16;

function textBytes(value: unknown): number {
  if (typeof value === "string") return slotBytes + value.length;
  if (!Array.isArray(value)) return slotBytes;
  let bytes = slotBytes;
  for (const item of value) bytes += textBytes(item);
  return bytes;
}
