/**
 * @module SequenceSet: a set of whole numbers as ascending intervals. A journal has few intervals
 * of millions of numbers; adding at the end, which is nearly every call, is constant.
 */

/** Mutable set of sequences. */
export class SequenceSet {
  readonly #intervals: [number, number][] = [];

  /** Adds all numbers from first to last, both included. */
  add(first: number, last: number): void {
    if (last < first) return;
    const list = this.#intervals;
    const newest = list.at(-1);
    if (newest === undefined || first > newest[1] + 1) {
      list.push([first, last]);
      return;
    }
    if (first >= newest[0]) {
      newest[1] = Math.max(newest[1], last);
      return;
    }
    const kept = list.filter((item) => item[1] < first - 1 || item[0] > last + 1);
    const joined = list.filter((item) => !kept.includes(item));
    kept.push([
      Math.min(first, ...joined.map((item) => item[0])),
      Math.max(last, ...joined.map((item) => item[1])),
    ]);
    kept.sort((a, b) => a[0] - b[0]);
    list.splice(0, list.length, ...kept);
  }

  has(value: number): boolean {
    for (let index = this.#intervals.length - 1; index >= 0; index -= 1) {
      const interval = this.#intervals[index];
      if (interval !== undefined && value >= interval[0]) return value <= interval[1];
    }
    return false;
  }

  /** Numbers missing between first and last, both included, as intervals. */
  holes(first: number, last: number): readonly (readonly [number, number])[] {
    const holes: [number, number][] = [];
    let from = first;
    for (const [start, end] of this.#intervals) {
      if (start > last) break;
      if (end < from) continue;
      if (start > from) holes.push([from, start - 1]);
      from = end + 1;
    }
    if (from <= last) holes.push([from, last]);
    return holes;
  }

  /** The largest number, or 0. */
  last(): number {
    return this.#intervals.at(-1)?.[1] ?? 0;
  }
}
