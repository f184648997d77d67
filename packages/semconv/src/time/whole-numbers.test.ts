/** @module Tests of times: text to numbers and back, compared with Date. */
import fc from "fast-check";
import { expect, test } from "vitest";

import {
  clampedInstant,
  epochMicros,
  isoOfInstant,
  isoOfMicros,
  wholeSecond,
} from "./whole-numbers.ts";

const seconds = fc.integer({ min: -2_208_988_800, max: 9_223_286_399 });
const nanos = fc.integer({ min: 0, max: 999_999_999 });

test("an instant is told as Date tells its second, on either side of the epoch", () => {
  fc.assert(
    fc.property(seconds, nanos, (at, within) => {
      const text = isoOfInstant({ seconds: at, nanos: within }, 9);
      expect(text.slice(0, 19)).toBe(new Date(at * 1_000).toISOString().slice(0, 19));
      expect(clampedInstant(text)).toEqual({ seconds: at, nanos: within });
    }),
  );
  expect(isoOfInstant({ seconds: -1, nanos: 0 }, 0)).toBe("1969-12-31T23:59:59Z");
  expect(isoOfInstant({ seconds: 86_399, nanos: 120_000_000 }, 2)).toBe("1970-01-01T23:59:59.12Z");
});

test("a time that was read or told before another one is the same again", () => {
  const micros = fc.integer({ min: -2_208_988_800_000_000, max: 4_102_444_800_000_000 });
  fc.assert(
    fc.property(fc.array(micros, { minLength: 2, maxLength: 4 }), (times) => {
      for (const at of [...times, ...times, times[0] ?? 0]) {
        expect(isoOfMicros(at).slice(0, 23)).toBe(
          new Date(Math.floor(at / 1_000)).toISOString().slice(0, 23),
        );
        expect(epochMicros(isoOfMicros(at))).toBe(at);
        expect(epochMicros("no time")).toBeNaN();
      }
    }),
  );
});

test("a received time comes back from its microseconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (micros) => {
      expect(epochMicros(isoOfMicros(micros))).toBe(micros);
    }),
  );
});

test("a time that no calendar or clock has is not whole, also after one of its day", () => {
  expect(wholeSecond("2026-02-28T23:59:59Z")).toBe(Date.UTC(2026, 1, 28, 23, 59, 59) / 1_000);
  expect(wholeSecond("2026-02-28T24:00:00Z")).toBeUndefined();
  expect(wholeSecond("2026-02-28T23:60:00Z")).toBeUndefined();
  expect(wholeSecond("2026-02-28T2x:00:00Z")).toBeUndefined();
  expect(wholeSecond("2026-02-28T23-59:00Z")).toBeUndefined();
  expect(wholeSecond("2026-02-30T00:01:00Z")).toBeUndefined();
  expect(wholeSecond("2026-02-30T00:02:00Z")).toBeUndefined();
  expect(wholeSecond("0026-02-28T00:02:00Z")).toBe(Date.parse("0026-02-28T00:02:00Z") / 1_000);
});
