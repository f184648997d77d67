/**
 * @module RandomValues: few texts, counts and times of random histories, so that groups, ties and
 * unknown values occur.
 */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import { hostileIds } from "./hostile.ts";

/** Few texts, of which some differ by a control character or by normalization only. */
export const few: Arbitrary<string> = fc.constantFrom(
  "one",
  "two",
  "o'ne",
  "t\u0000wo",
  "Ünïcode",
  "𝒶",
  "",
);
/** Ids of applications and their parts, hostile ones as well. */
export const id: Arbitrary<string> = fc.oneof(few, fc.constantFrom(...hostileIds));
/** Up to three different values. */
export const some = (values: Arbitrary<string>): Arbitrary<string[]> =>
  fc.uniqueArray(values, { maxLength: 3 });
/** Counts. */
export const count: Arbitrary<number> = fc.constantFrom(0, 1, 2, 3, 40);
/** A value, or null where it is unknown. */
export const maybe = <T>(values: Arbitrary<T>): Arbitrary<T | null> =>
  fc.option(values, { freq: 3 });
/** Durations, milliseconds. */
export const ms: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 0.5, 12, 1e6),
  fc.integer({ min: 1, max: 60 }),
);
/** Times, ISO 8601 UTC: of a second, of its parts, before 1970. */
export const time: Arbitrary<string> = fc.constantFrom(
  "2026-03-01T10:00:00Z",
  "2026-03-01T10:00:00.5Z",
  "2026-03-01T10:00:00.500001Z",
  "2026-03-01T10:01:00Z",
  "1969-12-31T23:59:59.75Z",
  "2026-03-02T00:00:00.000000001Z",
);
