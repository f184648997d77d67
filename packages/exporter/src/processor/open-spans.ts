/**
 * @module Open spans: spans of a marked kind that have not ended, oldest first. Nothing is done
 * when one ends, because nearly all do before anybody asks; the ended ones are dropped when the
 * list is looked through, which is every so many spans.
 */
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";

/** Spans between two looks; at most so many beside those that are open. */
const lookEvery = 128;

/** A bounded list of what may stay open for long. */
export class OpenSpans {
  private readonly max: number;
  private spans: ReadableSpanLike[] = [];
  /** When each of them began here, in epoch milliseconds. */
  private since: number[] = [];

  private added = 0;

  /** `max`: open spans that are watched at most. */
  constructor(max: number) {
    this.max = max;
  }

  /** When the oldest of the list began, in epoch milliseconds; Infinity for an empty list. */
  get oldest(): number {
    return this.since[0] ?? Infinity;
  }

  /** Watches a span, unless as many as are watched at most are open already. */
  add(span: ReadableSpanLike, now: number): void {
    // Now and then what ended is let go, so that a busy second does not hold all of its spans.
    if (++this.added % lookEvery === 0) this.take(-Infinity);
    this.spans.push(span);
    this.since.push(now);
  }

  /** Takes out the open spans that began at this time or before, and forgets what ended. */
  take(before: number): ReadableSpanLike[] {
    const taken: ReadableSpanLike[] = [];
    const spans: ReadableSpanLike[] = [];
    const since: number[] = [];
    for (let at = 0; at < this.spans.length; at++) {
      const span = this.spans[at] as ReadableSpanLike;
      const began = this.since[at] as number;
      if (span.ended) continue;
      if (began <= before) taken.push(span);
      else if (spans.length < this.max) {
        spans.push(span);
        since.push(began);
      }
    }
    this.spans = spans;
    this.since = since;
    return taken;
  }
}
