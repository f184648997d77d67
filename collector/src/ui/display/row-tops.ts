/** @module RowTops: where the rows of a list are, which have heights of their own. */

/** Distances of rows from the first, in pixels. */
export class RowTops {
  readonly #tops: Int32Array;

  /** @param heights of the rows, in their order */
  constructor(heights: readonly number[]) {
    const tops = new Int32Array(heights.length + 1);
    heights.forEach((height, place) => (tops[place + 1] = (tops[place] ?? 0) + height));
    this.#tops = tops;
  }

  /** Height of all rows. */
  get height(): number {
    return this.#tops.at(-1) ?? 0;
  }

  /** Distance of the row at a place, or of the end of the last one. */
  at(place: number): number {
    return this.#tops[Math.min(place, this.#tops.length - 1)] ?? 0;
  }

  /** Place of the row at a distance; beyond the last row, the number of rows. */
  placeAt(top: number): number {
    let [low, high] = [0, this.#tops.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at(middle) <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
