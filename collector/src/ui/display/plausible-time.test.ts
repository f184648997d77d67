/** @module A broken clock is left out of a chart, an archive is not. */
import { expect, test } from "vitest";

import { plausibleOf } from "./plausible-time.ts";

const now = Date.parse("2026-11-22T10:00:00Z");
const at = (time: string): { readonly atMs: number } => ({ atMs: Date.parse(time) });

test("times of decades ago and of tomorrow's tomorrow are left out beside others", () => {
  const today = at("2026-11-22T09:00:00Z");
  const lastYear = at("2025-11-23T09:00:00Z");
  const zoneOff = at("2026-11-22T22:00:00Z");
  const broken = [
    at("1970-01-01T00:00:01Z"),
    at("2026-11-24T09:00:00Z"),
    at("2099-01-01T00:00:00Z"),
  ];
  expect(plausibleOf([today, ...broken, lastYear, zoneOff], now)).toEqual([
    today,
    lastYear,
    zoneOff,
  ]);
});

test("an archive of decades ago is shown as it is", () => {
  const old = [at("1999-01-01T00:00:01Z"), at("2001-11-24T09:00:00Z")];
  expect(plausibleOf(old, now)).toEqual(old);
});
