/** @module Tests of times in columns: what comes back is the text that went in, digit for digit. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { timeColumns, timesOf } from "./time-columns.ts";

const time = fc
  .record({
    ms: fc.integer({ min: Date.UTC(1600, 0), max: Date.UTC(9000, 0) }),
    digits: fc.string({ unit: fc.constantFrom("0", "1", "5", "9"), maxLength: 12 }),
  })
  .map(({ ms, digits }) => {
    const seconds = new Date(ms).toISOString().slice(0, 19);
    return digits === "" ? `${seconds}Z` : `${seconds}.${digits}Z`;
  });

test("any timestamp, start and duration come back", () => {
  const odd = fc.constantFrom("2026-02-30T00:00:00Z", "2026-01-01T00:00:60Z", "yesterday", "2026");
  const any = fc.oneof({ weight: 6, arbitrary: time }, { weight: 1, arbitrary: odd });
  const duration = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    nil: undefined,
  });
  fc.assert(
    fc.property(any, fc.option(any, { nil: undefined }), duration, (timestamp, start, ms) => {
      const said = {
        timestamp,
        ...(start === undefined ? {} : { started_at: start }),
        ...(ms === undefined ? {} : { duration_ms: ms }),
      };
      const columns = timeColumns({
        ...said,
        schema_version: 3,
        event_id: "e",
        event_kind: "span",
        phase: "result",
        status: "success",
        attributes: {},
      });
      expect(timesOf(columns)).toEqual(said);
    }),
    { numRuns: 2_000 },
  );
});

test("a measured span needs no text and no second duration", () => {
  const columns = timeColumns({
    schema_version: 3,
    event_id: "e",
    event_kind: "span",
    phase: "result",
    status: "success",
    attributes: {},
    timestamp: "2026-03-01T10:00:02.000000500Z",
    started_at: "2026-03-01T10:00:00.000000000Z",
    duration_ms: 2000.0005,
  });
  expect(columns).toEqual({
    timestamp: { seconds: 1_772_359_202, nanos: 500 },
    digits: 9,
    timing: 3,
    elapsedNs: 2_000_000_500,
  });
});
