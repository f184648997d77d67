/** @module Pairs of turns of two sides: which are chosen, and when there is none. */
import type { TurnRow } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { pairsOf } from "./cohort-pairs.ts";

function row(minute: number, stated: Partial<TurnRow> = {}): TurnRow {
  return {
    root_trace_id: `root-${minute}`,
    agent_id: "desk",
    thread_id: "thr",
    user_id: "ann",
    ended_at: new Date(Date.UTC(2026, 10, 22, 0, minute)).toISOString(),
    duration_ms: null,
    timing_state: "unknown",
    models: [],
    ...stated,
  } as TurnRow;
}

const roots = (before: readonly TurnRow[], of: readonly TurnRow[]): readonly string[] =>
  pairsOf(before, of).map(({ baseline_root: a, candidate_root: b }) => `${a} ${b}`);

test("one thread comes before one tenant, and the nearest in time before the others", () => {
  const before = [
    row(0, { thread_id: "a" }),
    row(8, { thread_id: "b" }),
    row(9, { thread_id: "c" }),
  ];
  const of = [
    row(10, { thread_id: "d" }),
    row(12, { thread_id: "a" }),
    row(15, { thread_id: "b" }),
  ];
  expect(roots(before, of)[0]).toBe("root-8 root-15");
  expect(roots(before, of.slice(0, 1))[0]).toBe("root-9 root-10");
});

test("turns that called a model come before closer ones answered from a cache", () => {
  const cached = row(10);
  const before = [row(1, { models: ["m-1"] }), row(9)];
  expect(roots(before, [cached, row(30, { models: ["m-2"], thread_id: "x" })])[0]).toBe(
    "root-1 root-30",
  );
  expect(roots(before, [cached])[0]).toBe("root-9 root-10");
});

test("the turns of median duration are a pair of each agent", () => {
  const lasting = (minute: number, ms: number): TurnRow =>
    row(minute, { duration_ms: ms, timing_state: "measured", user_id: null });
  const before = [lasting(1, 10), lasting(2, 20), lasting(3, 900)];
  const of = [row(4), lasting(5, 40), lasting(6, 50), lasting(7, 60)];
  expect(roots(before, of)).toContain("root-2 root-6");
});

test("another agent, another tenant or the same root is no pair", () => {
  expect(roots([row(1)], [row(2, { agent_id: "other" })])).toEqual([]);
  expect(roots([row(1)], [row(1)])).toEqual([]);
  const [pair] = pairsOf([row(1)], [row(2, { user_id: "bob" })]);
  expect(pair?.why).toMatch(/median/);
});
