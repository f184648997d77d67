/** @module Tests of the numbers in a Native buffer against BigInt and Node's own. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { NativeBuffer } from "./native-buffer.ts";

test("whole numbers of 53 bits and either sign come back, wider ones are refused", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const buffer = new NativeBuffer(1);
      buffer.i64(value);
      expect(buffer.view().readBigInt64LE(0)).toBe(BigInt(value));
    }),
  );
  expect(() => new NativeBuffer().i64(2 ** 70)).toThrow(RangeError);
  expect(() => new NativeBuffer().text("\ud800")).toThrow(RangeError);
});
