/**
 * @module Open spans: spans of a marked kind that have not ended, oldest first. Ending one does
 * nothing, because nearly all end before the list is read; ended spans are removed every so many
 * additions.
 */
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";

/** Additions between two clean-ups; bounds the ended spans in the list. */
const lookEvery = 128;

/** A bounded list of spans that may stay open for long. */
export class OpenSpans {
  private readonly max: number;
  private spans: ReadableSpanLike[] = [];
  /** When each of them began here, in epoch milliseconds. */
  private since: number[] = [];

  private added = 0;

  /** `max`: most open spans in the list. */
  constructor(max: number) {
    this.max = max;
  }

  /** When the oldest of the list began, in epoch milliseconds; Infinity for an empty list. */
  get oldest(): number {
    return this.since[0] ?? Infinity;
  }

  /** Adds a span, unless the list is full of open ones. */
  add(span: ReadableSpanLike, now: number): void {
    // Ended spans are removed periodically, so that high traffic does not retain all of them.
    if (++this.added % lookEvery === 0) this.take(-Infinity);
    this.spans.push(span);
    this.since.push(now);
  }

  /** Takes the open spans that began at this time or before, and removes ended ones. */
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
