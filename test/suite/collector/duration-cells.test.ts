/** @module Durations over time: every turn is in one cell, or counted as unknown. */
import type { TurnRow } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { durationCells, lastingOf } from "./row-cells.ts";

test("a column counts classes of durations, and what is unknown beside them", () => {
  const { columns, fromMs, toMs } = durationCells([
    { atMs: 0, durationMs: 10 },
    { atMs: 10, durationMs: 1_000 },
    { atMs: 20, durationMs: null },
    { atMs: 1_000_000, durationMs: 100 },
  ]);
  const [first] = columns;
  expect(first).toMatchObject({ turns: 3, unknown: 1, p50: 10, p95: 1_000 });
  expect(first?.counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(columns.at(-1)).toMatchObject({ turns: 1, unknown: 0, p50: 100, p95: 100 });
  expect(columns[1]).toMatchObject({ turns: 0, unknown: 0, p50: null, p95: null });
  expect(fromMs[0]).toBeLessThanOrEqual(10);
  expect(toMs).toBeGreaterThan(1_000);
});

test("what was seen of a turn that never ended is not how long it took", () => {
  const row = (duration_ms: number | null, timing_state: string): TurnRow =>
    ({ ended_at: "2026-11-21T12:00:00Z", duration_ms, timing_state }) as TurnRow;
  const rows = [
    row(5, "measured"),
    row(6, "unknown"),
    row(null, "unknown"),
    row(7, "missing_completion"),
    row(0, "instantaneous"),
  ];
  expect(lastingOf(rows).map(({ durationMs }) => durationMs)).toEqual([5, 6, null, null, null]);
});

test("unknown durations alone make no class and no zero", () => {
  const { columns, fromMs } = durationCells([{ atMs: 0, durationMs: null }]);
  expect(fromMs).toEqual([]);
  expect(columns).toMatchObject([{ turns: 1, unknown: 1, counts: [], p50: null, p95: null }]);
  expect(durationCells([]).columns).toEqual([]);
});

test("every turn is in the class of its duration, of which there are few", () => {
  const turn = fc.record({
    atMs: fc.integer({ min: 0, max: 1e9 }),
    durationMs: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 60 }), (turns) => {
      const { columns, fromMs, toMs } = durationCells(turns);
      const total = (of: (column: (typeof columns)[number]) => number): number =>
        columns.reduce((sum, column) => sum + of(column), 0);
      expect(total((column) => column.turns)).toBe(turns.length);
      expect(total(({ unknown, counts }) => unknown + counts.reduce((a, b) => a + b, 0))).toBe(
        turns.length,
      );
      expect(fromMs.length).toBeLessThanOrEqual(10);
      for (const { durationMs } of turns) {
        if (durationMs !== null) expect(durationMs).toBeLessThan(toMs * 1.0001);
      }
      fromMs.forEach((from, index) => {
        const to = fromMs[index + 1] ?? toMs;
        const own = turns.filter(
          ({ durationMs: ms }) => ms !== null && ms < to && (ms >= from || index === 0),
        ).length;
        const counted = total(({ counts }) => counts[index] ?? 0);
        expect(Math.abs(counted - own)).toBeLessThanOrEqual(
          turns.filter(({ durationMs: ms }) => near(ms, from) || near(ms, to)).length,
        );
      });
    }),
  );
});

/** Bounds are rounded for display. */
function near(ms: number | null, bound: number): boolean {
  return ms !== null && Math.abs(ms - bound) <= bound * 1e-5;
}
