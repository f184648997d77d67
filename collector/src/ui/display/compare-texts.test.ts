/**
 * @module Limits of a comparison: an absence in an incomplete window is never reported as removed.
 */
import { compareTraceWindows } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { differenceText, openPoints, trustText, verbOf } from "./compare-texts.ts";

const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: [],
  read_completeness: "complete" as const,
};
const partial = { ...complete, window_complete: false, truncated: true };

function event(side: string, number: number, more: Partial<TurnEvent>): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${side}-${number}`,
    event_kind: "tool_call",
    operation: `execute_tool t${number}`,
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:00:0${number}.000Z`,
    root_trace_id: side,
    turn_id: side,
    agent_id: "desk",
    thread_id: "thread",
    user_id: null,
    span_id: `${side}-s${number}`,
    duration_ms: 10,
    attributes: {},
    ...more,
  };
}

const before = [event("a", 1, {}), event("a", 2, {})];
const after = [event("b", 1, {})];

test("what an incomplete candidate does not show is not established, and said so", () => {
  const comparison = compareTraceWindows(before, after, {
    baselineMetadata: complete,
    candidateMetadata: partial,
  });
  expect(comparison.counts.removed).toBe(1);
  expect(verbOf("removed", comparison.trust)).toBe("not_established");
  expect(verbOf("added", comparison.trust)).toBe("added");
  const points = openPoints(comparison).map(({ what }) => what);
  expect(points).toContain("What else B did");
  expect(points).toContain("1 operation on one side alone");
  expect(trustText(comparison.trust.candidate)).toMatch(/a bound cut the reading/);
});

test("between complete windows it is gone, and the verb says so", () => {
  const comparison = compareTraceWindows(before, after, {
    baselineMetadata: complete,
    candidateMetadata: complete,
  });
  expect(verbOf("removed", comparison.trust)).toBe("removed");
  const points = openPoints(comparison).map(({ what }) => what);
  expect(points).not.toContain("What else B did");
  expect(points.some((point) => point.includes("on one side alone"))).toBe(false);
});

test("a figure that one side does not know stays open", () => {
  const { duration_ms: _, ...silent } = event("b", 1, {});
  const untimed = [silent, event("b", 2, {})];
  const comparison = compareTraceWindows(before, untimed, {
    baselineMetadata: complete,
    candidateMetadata: complete,
  });
  const points = openPoints(comparison).map(({ what }) => what);
  expect(points).toContain("The change in time of 1 matched operation");
  expect(points).toContain("The change in tokens as a whole");
});

test("a changed field says what it was and what it became", () => {
  const failed = [event("b", 1, { status: "error" }), event("b", 2, {})];
  const { operations } = compareTraceWindows(before, failed, {
    baselineMetadata: complete,
    candidateMetadata: complete,
  });
  expect(operations[0]?.changes).toEqual([
    { field: "status", baseline: "success", candidate: "error" },
  ]);
});

test("differences carry their sign, and none is made up", () => {
  const delta = { baseline: 1, candidate: 3, difference: 2, beyond_tolerance: true };
  expect(differenceText(delta, String)).toBe("+2");
  expect(differenceText({ ...delta, difference: -2 }, String)).toBe("−2");
  expect(differenceText({ ...delta, difference: 0 }, String)).toBe("±0");
  expect(differenceText({ ...delta, difference: null }, String)).toBeNull();
});

test("one operation is one operation, several are several", () => {
  const alike = (side: string, count: number): TurnEvent[] =>
    Array.from({ length: count }, (_, index) =>
      event(side, index + 1, { operation: "execute_tool same" }),
    );
  const pairing = (baseline: number, candidate: number): string | undefined =>
    openPoints(
      compareTraceWindows(alike("a", baseline), alike("b", candidate), {
        baselineMetadata: complete,
        candidateMetadata: complete,
      }),
    ).find(({ what }) => what.startsWith("The pairing"))?.what;
  expect(pairing(2, 2)).toBeUndefined();
  expect(pairing(1, 2)).toBe("The pairing of 1 operation");
  expect(pairing(3, 2)).toBe("The pairing of 2 operations");
});

test("a result that nobody recorded, and one that nobody acknowledged, are left open", () => {
  const delivered = (side: string, acknowledged: boolean | null): TurnEvent[] => [
    event(side, 1, {
      event_kind: "delivery",
      phase: "event",
      attributes: { delivery_target: "page", emitted: true, acknowledged },
    }),
  ];
  const metadata = { baselineMetadata: complete, candidateMetadata: complete };
  const whats = (left: readonly TurnEvent[], right: readonly TurnEvent[]): string[] =>
    openPoints(compareTraceWindows(left, right, metadata)).map(({ what }) => what);
  expect(whats(before, before)).toContain("Whether the result of A and B arrived");
  const half = whats(delivered("a", true), delivered("b", null));
  expect(half).toContain("Whether the delivery of B arrived");
  expect(half.some((what) => what.includes("result of"))).toBe(false);
  expect(half).toContain("Which release wrote A and B");
});
