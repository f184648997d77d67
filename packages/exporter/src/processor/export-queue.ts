/**
 * @module Export queue: items to be sent, evidence and the rest in separate bounds, so that a
 * flood of structure never displaces evidence.
 */
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { ItemClass } from "./span-counts.ts";

/**
 * A queued span with its sequence number; 0 for one without a number. A class, because V8
 * allocates object literals that often survive until an export is answered in its old space, where
 * they retain their spans until a full collection: that was a third of the cost of a span.
 */
export class QueueItem {
  readonly span: ReadableSpanLike;
  readonly kind: ItemClass;
  readonly seq: number;

  constructor(span: ReadableSpanLike, kind: ItemClass, seq: number) {
    this.span = span;
    this.kind = kind;
    this.seq = seq;
  }
}

/** A first-in first-out list that does not move its items on each take. */
class Fifo {
  private items: QueueItem[] = [];
  private head = 0;
  /** Number of items ever added, and ever taken. */
  pushed = 0;
  taken = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: QueueItem): void {
    this.items.push(item);
    this.pushed++;
  }

  take(count: number): QueueItem[] {
    const taken = this.items.slice(this.head, this.head + count);
    this.head += taken.length;
    this.taken += taken.length;
    if (this.head === this.items.length || this.head > 4_096) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return taken;
  }
}

/** Position of each list at some moment. */
export type QueueMark = readonly [evidence: number, rest: number];

/** Two bounded lists; evidence is taken first. */
export class ExportQueue {
  private readonly evidence = new Fifo();
  private readonly rest = new Fifo();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** Number of queued items. */
  get length(): number {
    return this.evidence.length + this.rest.length;
  }

  /** False when the item's list is full; the item is then not queued. */
  push(item: QueueItem): boolean {
    const list = item.kind === "evidence" ? this.evidence : this.rest;
    if (list.length >= this.max) return false;
    list.push(item);
    return true;
  }

  /** The present end of the queue. */
  mark(): QueueMark {
    return [this.evidence.pushed, this.rest.pushed];
  }

  /** True when everything before the mark was taken. */
  passed([evidence, rest]: QueueMark): boolean {
    return this.evidence.taken >= evidence && this.rest.taken >= rest;
  }

  /** Takes at most this many, oldest evidence first. */
  take(count: number): QueueItem[] {
    const first = this.evidence.take(count);
    return first.length === count ? first : [...first, ...this.rest.take(count - first.length)];
  }
}
