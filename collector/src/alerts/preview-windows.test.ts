/** Windows of a preview: they slide as those of a living rule, and an alert lasts as one there. */
import { expect, test } from "vitest";

import { parseAlertRules } from "../config/alert-rules.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { passWindows } from "./preview-windows.ts";
import type { PassedWindows, PreviewPart } from "./preview-windows.ts";

const ruleOf = (of: string): AlertRule => {
  const [rule] = parseAlertRules(`version: 1\nrules:\n  - {name: one, window: 10m, ${of}}`);
  if (rule === undefined) throw new Error("no rule");
  return rule;
};
const steps = { perWindow: 4, firstEnd: 4, lastEnd: 100, newest: 100, weekAgo: 50 };
/** Parts by step: value and count. */
function pass(
  of: string,
  parts: Readonly<Record<number, readonly [number, number]>>,
): PassedWindows {
  const map = new Map<number, PreviewPart>(
    Object.entries(parts).map(([from, [value, count]]) => [Number(from), { value, count }]),
  );
  return passWindows(ruleOf(of), { parts: map, whole: new Map() }, steps);
}
const ends = ({ alerts }: PassedWindows): readonly number[] => alerts.map(({ end }) => end);

test("a spike across the border of two windows side by side is found", () => {
  // 10 failed turns in two steps, among quiet ones; windows of four steps begin at 16 and 20.
  const quiet = { 16: [0, 20], 17: [0, 20], 18: [0, 20], 21: [0, 20], 22: [0, 20], 23: [0, 20] };
  const spike = { 19: [1, 5], 20: [1, 5] };
  const past = pass("measure: error_share, above: 0.19", { ...quiet, ...spike } as never);
  expect(past.alerts).toEqual([{ end: 21, value: 0.2, count: 50 }]);
  const side = { ...steps, perWindow: 1 };
  const joined = new Map([
    [4, { value: 5 / 65, count: 65 }],
    [5, { value: 5 / 65, count: 65 }],
  ]);
  const own = { parts: joined, whole: new Map() };
  expect(passWindows(ruleOf("measure: error_share, above: 0.19"), own, side).alerts).toEqual([]);
});

test("counts add up, and windows without a finding end an alert", () => {
  const past = pass("measure: findings, finding: artifact_missing, above: 2", {
    10: [2, 2],
    11: [1, 1],
    20: [3, 3],
  });
  expect(past.alerts).toEqual([
    { end: 12, value: 3, count: 3 },
    { end: 21, value: 3, count: 3 },
  ]);
  expect([past.broken, past.established]).toEqual([3 + 4, 5 + 4]);
});

test("an alert lasts over windows without a result, for one window at most", () => {
  const of = "measure: error_share, above: 0.5, min_count: 10";
  expect(ends(pass(of, { 10: [1, 10], 16: [1, 10] }))).toEqual([11]);
  expect(ends(pass(of, { 10: [1, 10], 19: [1, 10] }))).toEqual([11, 20]);
  // A window with a result that is not broken ends it at once.
  expect(ends(pass(of, { 10: [1, 10], 14: [0, 10], 16: [1, 12] }))).toEqual([11, 17]);
});

test("a rule of change compares with the window of a week before", () => {
  const parts = { 8: [0.1, 10], 9: [0.1, 10], 60: [0.3, 10], 61: [0.2, 10] } as const;
  expect(pass("measure: error_share, change: 2", parts).alerts).toEqual([
    { end: 61, value: 0.3, count: 10 },
  ]);
  expect(ends(pass("measure: error_share, change: 4", parts))).toEqual([]);
});
