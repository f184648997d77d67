/** @module Tests of the numbers of a Native buffer against BigInt and Node's own. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { NativeBuffer } from "./native-buffer.ts";

const nanosPerSecond = 1_000_000_000n;

test("seconds and nanoseconds are the 64 bits of their BigInt", () => {
  const seconds = fc.integer({ min: Date.UTC(1900, 0) / 1000, max: 9_223_372_035 });
  const nanos = fc.nat(999_999_999);
  fc.assert(
    fc.property(seconds, nanos, (s, n) => {
      const buffer = new NativeBuffer(8);
      buffer.nanos64(s, n);
      expect(buffer.view().readBigInt64LE(0)).toBe(BigInt(s) * nanosPerSecond + BigInt(n));
    }),
    { numRuns: 5_000 },
  );
});

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
