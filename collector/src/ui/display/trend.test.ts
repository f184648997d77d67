/**
 * @module Trend: every turn counts once, unrecorded is not zero.
 */
import type { TurnRow } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { trendOf, verdictTexts } from "./trend.ts";

const nowMs = Date.UTC(2026, 10, 22);
const noTools = {
  results: 0,
  clean: 0,
  empty: 0,
  degraded: 0,
  fallback: 0,
  provider_error: 0,
  error: 0,
  unknown: 0,
};

function row(minute: number, stated: Partial<TurnRow> = {}): TurnRow {
  return {
    root_trace_id: `root-${minute}`,
    agent_id: "desk",
    thread_id: "thr",
    user_id: "ann",
    ended_at: new Date(nowMs - 3_600_000 + minute * 60_000).toISOString(),
    duration_ms: null,
    timing_state: "unknown",
    verdict: null,
    releases: [],
    models: [],
    tools: noTools,
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
    usage_state: "not_measured",
    ...stated,
  } as TurnRow;
}

test("what nobody said is unknown, in the sums and in each slice", () => {
  const trend = trendOf([row(0), row(30)], nowMs);
  const unknownFigures = {
    p50_ms: null,
    p95_ms: null,
    tool_results: 0,
    tokens: null,
    tokens_turns: 0,
    cached_share: null,
  };
  expect(trend).toMatchObject({
    ...unknownFigures,
    turns: 2,
    verdicts: { unjudged: 2 },
    releases: [],
  });
  expect(trend).toMatchObject({ duration_unknown: 2, tokens_partial: false });
  expect(trend.slices.at(-1)).toMatchObject({ ...unknownFigures, turns: 1, duration_unknown: 1 });
});

test("figures are of those turns that said them", () => {
  const { slices, ...sums } = trendOf(
    [
      row(0, { verdict: "success", duration_ms: 10, timing_state: "measured" }),
      row(1, { duration_ms: 30, timing_state: "missing_completion" }),
      row(2, { input_tokens: 100, output_tokens: 10, cached_tokens: 50, usage_state: "known" }),
      row(3, { input_tokens: 300, output_tokens: null, usage_state: "partial" }),
      row(4, {
        tools: { ...noTools, results: 8, fallback: 1, degraded: 2, error: 1, provider_error: 1 },
      }),
    ],
    nowMs,
  );
  expect(sums).toEqual({
    turns: 5,
    verdicts: { success: 1, unjudged: 4 },
    p50_ms: 10,
    p95_ms: 10,
    duration_unknown: 4,
    tool_results: 8,
    tool_limited: 3,
    tool_failed: 2,
    tokens: 410,
    tokens_turns: 2,
    tokens_partial: true,
    // The turn without cache counts is in neither part of the share.
    cached_share: 0.5,
    releases: [],
  });
  expect(slices[0]?.turns).toBe(1);
});

test("a turn with one of its counts makes the sum of tokens a lower bound", () => {
  const known = row(0, { input_tokens: 1, output_tokens: 0, usage_state: "known" });
  const half = row(1, { input_tokens: null, output_tokens: 0, usage_state: "known" });
  expect(trendOf([known], nowMs).tokens_partial).toBe(false);
  expect(trendOf([known, half], nowMs)).toMatchObject({ tokens: 1, tokens_partial: true });
});

test("a release has its own figures", () => {
  const rows = [
    row(0, { releases: ["1"], thread_id: "a" }),
    row(8, { releases: ["1"], thread_id: "b" }),
    row(9, { releases: ["1"], thread_id: "c" }),
    row(10, { releases: ["2"], thread_id: "d", duration_ms: 5, timing_state: "measured" }),
    row(12, { releases: ["2"], thread_id: "a" }),
    row(15, { releases: ["2"], thread_id: "b" }),
    // During a roll-out both releases run.
    row(16, { releases: ["1"], thread_id: "d" }),
    row(17, { thread_id: "a" }),
  ];
  const { releases } = trendOf(rows, nowMs);
  expect(releases.map(({ release, turns, first_ms }) => [release, turns, first_ms])).toEqual([
    ["1", 4, nowMs - 3_600_000],
    ["2", 3, nowMs - 3_600_000 + 600_000],
    [null, 1, nowMs - 3_600_000 + 1_020_000],
  ]);
  expect(releases[1]).toMatchObject({ p50_ms: 5, duration_unknown: 2 });
});

test("a turn whose clock cannot be right is in the sums and stretches no slice", () => {
  const broken = { ...row(0), ended_at: "1970-01-01T00:00:00Z" };
  const { turns, slices } = trendOf([row(0), row(1), broken], nowMs);
  expect(turns).toBe(3);
  expect(slices.reduce((sum, slice) => sum + slice.turns, 0)).toBe(2);
});

test("every turn is in one slice, with one verdict", () => {
  const turn = fc.record({
    minute: fc.integer({ min: 0, max: 600 }),
    verdict: fc.option(fc.constantFrom("success", "partial", "failed", "unknown")),
    duration: fc.option(fc.integer({ min: 1, max: 1e6 })),
  });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 50 }), (turns) => {
      const rows = turns.map(({ minute, verdict, duration }) =>
        row(minute, { verdict, duration_ms: duration, timing_state: "measured" }),
      );
      const { slices } = trendOf(rows, nowMs + 600 * 60_000);
      expect(slices.reduce((sum, slice) => sum + slice.turns, 0)).toBe(rows.length);
      for (const { turns: count, verdicts, p50_ms, p95_ms, duration_unknown } of slices) {
        const judged = verdictTexts.reduce((sum, word) => sum + (verdicts[word] ?? 0), 0);
        expect(judged).toBe(count);
        expect(p50_ms === null).toBe(duration_unknown === count);
        expect(p50_ms ?? 0).toBeLessThanOrEqual(p95_ms ?? 0);
      }
    }),
  );
});
