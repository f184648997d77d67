/**
 * The order of rules, and their rests: a slow rule is evaluated less often, and delays no other.
 */
import { expect, test } from "vitest";

import { parseAlertRules } from "../config/alert-rules.ts";
import { DueRules } from "./due-rules.ts";

const rules = parseAlertRules(`version: 1
rules:
  - {name: week, measure: error_share, window: 7d, above: 0}
  - {name: minute, measure: error_share, window: 1m, above: 0}
  - {name: hour, measure: error_share, window: 1h, above: 0}
`);
/** What a look at each takes, in milliseconds. */
const costs: Readonly<Record<string, number>> = { week: 900, minute: 20, hour: 50 };

/** Longest time between two looks at each rule, while turns arrive for a minute. */
function longestGaps(cost: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const due = new DueRules({ everyMs: 2_000, leastMs: 500 });
  const last = new Map<string, number>();
  const gaps: Record<string, number> = {};
  for (let atMs = 0; atMs < 60_000;) {
    due.touched(atMs);
    const until = atMs + 250;
    const began = atMs;
    for (const of of due.due(rules, atMs)) {
      if (atMs > until) break;
      const beganMs = atMs;
      atMs += cost[of.name] ?? 0;
      due.looked({ of, beganMs, endedMs: atMs, atMs });
      gaps[of.name] = Math.max(gaps[of.name] ?? 0, beganMs - (last.get(of.name) ?? beganMs));
      last.set(of.name, beganMs);
    }
    atMs += Math.max(500, atMs - began);
  }
  return gaps;
}

test("a costly rule delays itself, and each is looked at in time", () => {
  const { week, minute, hour } = longestGaps(costs);
  expect(week).toBeGreaterThan(4 * 900);
  expect(week).toBeLessThan(8_000);
  expect(minute).toBeLessThan(2_600);
  expect(hour).toBeLessThan(2_600);
});

test("rules that are all costly are each looked at", () => {
  const gaps = longestGaps({ week: 900, minute: 900, hour: 900 });
  for (const gap of Object.values(gaps)) expect(gap).toBeLessThan(8_000);
});

test("a rule rests until turns come, and its time is known once each has one", () => {
  const due = new DueRules({ everyMs: 2_000, leastMs: 500 });
  expect(due.restMs(rules, 0)).toBe(0);
  for (const of of rules.slice(1)) due.looked({ of, beganMs: 0, endedMs: 10, atMs: 7 });
  expect(due.lookedMs(rules)).toBeNull();
  due.looked({ of: rules[0] as (typeof rules)[number], beganMs: 0, endedMs: 10, atMs: 5 });
  expect(due.lookedMs(rules)).toBe(5);
  expect(due.due(rules, 1_000)).toEqual([]);
  expect(due.restMs(rules, 1_000)).toBe(1_010);
  due.touched(100);
  expect(due.due(rules, 1_000)).toEqual(rules);
  // A rule that was changed does not wait for the rest of the one before.
  const [changed] = rules.map((rule) => ({ ...rule, above: 0.5 }));
  expect(due.due(changed === undefined ? [] : [changed], 20)).toHaveLength(1);
});
