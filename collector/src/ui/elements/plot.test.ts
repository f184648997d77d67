/** @module Plot: the line is broken at an unknown value, and its horizontal axis is time. */
import { expect, test } from "vitest";

import { linePath } from "./plot.tsx";

const at = (seconds: number, value: number | null) => ({ at_ms: seconds * 1_000, value });

test("a line goes by time, from zero to above the largest value", () => {
  expect(linePath([at(0, 0), at(1, 10), at(4, 5)])).toBe("M0 72h0L50 6.55L200 39.27");
});

test("an unknown value breaks the line, and is no zero", () => {
  expect(linePath([at(0, 10), at(1, null), at(2, 10)])).toBe("M0 6.55h0M200 6.55h0");
});

test("nothing known draws nothing, and zeros alone lie on the ground line", () => {
  expect(linePath([])).toBe("");
  expect(linePath([at(0, null)])).toBe("");
  expect(linePath([at(0, 0), at(1, 0)])).toBe("M0 72h0L200 72");
});
