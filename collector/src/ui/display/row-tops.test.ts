/** Rows of any heights are found by any distance. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { RowTops } from "./row-tops.ts";

test("each pixel is in the row that covers it", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }), (heights) => {
      const tops = new RowTops(heights);
      const covering = heights.flatMap((height, place) => Array<number>(height).fill(place));
      expect(tops.height).toBe(covering.length);
      expect(covering.map((_, pixel) => tops.placeAt(pixel))).toEqual(covering);
      expect(tops.placeAt(covering.length + 5)).toBe(heights.length);
      expect(heights.map((_, place) => tops.at(place + 1) - tops.at(place))).toEqual(heights);
    }),
  );
});
