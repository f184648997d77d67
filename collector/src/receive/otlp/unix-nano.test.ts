/** Nanoseconds since the epoch keep every digit. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { nanoDigits, nanoText, unixTime } from "./unix-nano.ts";

test("64 bits in two halves are the digits that BigInt says", () => {
  const check = (value: bigint): void => {
    const upper = Number(value >> 32n);
    const lower = Number(value & 0xffff_ffffn);
    expect(nanoText(unixTime(upper, lower))).toBe(String(value));
  };
  for (const value of [0n, 1n, 999_999_999n, 10n ** 9n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n]) {
    check(value);
  }
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), check), { numRuns: 5_000 });
});

test("digits are a count of 64 bits, without leading zeros, or nothing", () => {
  expect(nanoDigits("0001790000000000000001")).toBeUndefined();
  expect(nanoDigits("0017")).toBe("17");
  expect(nanoDigits("0")).toBe("0");
  expect(nanoDigits("18446744073709551615")).toBe("18446744073709551615");
  for (const bad of ["", "-1", "1.5", "1e3", " 1", "18446744073709551616", "9".repeat(21)]) {
    expect(nanoDigits(bad)).toBeUndefined();
  }
});
