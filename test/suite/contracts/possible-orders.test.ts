/**
 * @module Orders that ties and the skew of clocks leave open: a clause is decided only where each
 * of them gives the same result.
 */
import fc from "fast-check";
import { defineContract, evaluateTurns, goldenOf } from "@turnproof/contracts";
import type { Clause, Outcome } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { end, tool, whole } from "./turns.ts";

interface Made {
  readonly name: string;
  readonly at: number;
  readonly by?: string;
}

/** A turn of these calls; of equal starts the one with the lower id is listed first. */
function turn(
  made: readonly Made[],
  ids: readonly number[] = made.map((_, at) => at),
): TurnEvent[] {
  const calls = made.map(({ name, at, by = "p1" }, index) => {
    const span = `c${String(ids[index]).padStart(15, "0")}`;
    return tool(name, at, {}, { producer_id: by, span_id: span, event_id: `${span}:result` });
  });
  return [...calls, end()];
}

function judge(clause: Clause, events: readonly TurnEvent[]): Outcome | undefined {
  const contract = defineContract({ name: "order", expect: [clause] });
  return evaluateTurns(events, [contract], { metadata: whole })[0]?.contracts[0]?.result;
}

const golden = (match: "strict" | "ordered", ...names: string[]): Clause => ({
  clause: "trajectory",
  match,
  steps: names.map((name) => ({ kind: "tool" as const, name })),
});
const near = (more: object): Clause => ({
  clause: "order",
  tool: "approve",
  before: { tool: "delete_row" },
  ...more,
});

describe.each([{ immediately: true }, { within_calls: 1 }])("%j", (more) => {
  test("does not depend on the ids of calls with one start", () => {
    const calls = [
      { name: "approve", at: 100 },
      { name: "log_access", at: 100 },
      { name: "delete_row", at: 200 },
    ];
    for (const ids of [
      [1, 2, 3],
      [2, 1, 3],
    ]) {
      expect(judge(near(more), turn(calls, ids))).toBe("not_established");
    }
  });

  test("does not depend on clocks within their skew", () => {
    const at = (other: number): TurnEvent[] =>
      turn([
        { name: "approve", at: 1_000 },
        { name: "log_access", at: other, by: "p2" },
        { name: "delete_row", at: 1_900 },
      ]);
    expect(judge(near(more), at(1_100))).toBe("not_established");
    expect(judge(near(more), at(900))).toBe("not_established");
    expect(judge(near(more), at(300))).toBe("holds");
    expect(judge(near(more), at(2_500))).toBe("holds");
  });

  test("is decided where the order is known", () => {
    const calls = [
      { name: "approve", at: 100 },
      { name: "log_access", at: 101 },
      { name: "delete_row", at: 200 },
    ];
    expect(judge(near(more), turn(calls))).toBe("violated");
    expect(judge(near(more), turn(calls.toSpliced(1, 1)))).toBe("holds");
  });
});

test("within_ms bridges the skew of two producers, and of one producer is exact", () => {
  const gap = (ms: number, by: string): TurnEvent[] =>
    turn([
      { name: "approve", at: 0 },
      { name: "delete_row", at: 10 + ms, by },
    ]);
  const clause = near({ within_ms: 899 });
  expect(judge(clause, gap(900, "p2"))).toBe("not_established");
  expect(judge(clause, gap(1_399, "p2"))).toBe("not_established");
  expect(judge(clause, gap(1_400, "p2"))).toBe("violated");
  expect(judge(near({ within_ms: 1_100 }), gap(600, "p2"))).toBe("holds");
  expect(judge(near({ within_ms: 1_099 }), gap(600, "p2"))).toBe("not_established");
  expect(judge(clause, gap(899, "p1"))).toBe("holds");
  expect(judge(clause, gap(900, "p1"))).toBe("violated");
});

describe.each(["strict", "ordered"] as const)("a trajectory: %s", (match) => {
  test("of two producers within the skew is not established", () => {
    for (const at of [900, 1_100]) {
      const calls = [
        { name: "a", at: 1_000 },
        { name: "b", at, by: "p2" },
      ];
      expect(judge(golden(match, "a", "b"), turn(calls))).toBe("not_established");
    }
    const far = [
      { name: "a", at: 1_000 },
      { name: "b", at: 1_501, by: "p2" },
    ];
    expect(judge(golden(match, "a", "b"), turn(far))).toBe("holds");
    expect(judge(golden(match, "b", "a"), turn(far))).toBe("violated");
  });

  test("does not depend on the ids of calls with one start", () => {
    const calls = [
      { name: "a", at: 1_000 },
      { name: "b", at: 1_000 },
    ];
    for (const ids of [
      [1, 2],
      [2, 1],
    ]) {
      expect(judge(golden(match, "a", "b"), turn(calls, ids))).toBe("not_established");
    }
  });

  test("compares calls that are not neighbours", () => {
    for (const at of [700, 1_300]) {
      const calls = [
        { name: "a", at: 1_000 },
        { name: "b", at, by: "p2" },
        { name: "x", at: at === 700 ? 800 : 1_100, by: at === 700 ? "p2" : "p1" },
        { name: "x", at: at === 700 ? 900 : 1_200, by: at === 700 ? "p2" : "p1" },
      ];
      const wanted = match === "ordered" ? ["a", "b"] : ["a", "x", "x", "b"];
      const expected = at === 700 && match === "strict" ? "violated" : "not_established";
      expect([at, judge(golden(match, ...wanted), turn(calls))]).toEqual([at, expected]);
    }
  });

  test("of equal steps holds in whichever order", () => {
    const calls = [
      { name: "a", at: 1_000 },
      { name: "a", at: 1_100, by: "p2" },
      { name: "a", at: 1_100, by: "p2" },
      { name: "b", at: 2_000 },
    ];
    expect(judge(golden(match, "a", "a", "a", "b"), turn(calls))).toBe("holds");
    expect(judge(golden(match, "a", "a", "a", "a", "b"), turn(calls))).toBe("violated");
  });
});

/** All orders that ties and skew allow. */
function possible(made: readonly Made[]): string[][] {
  if (made.length === 0) return [[]];
  const isBefore = (a: Made, b: Made): boolean => a.at + (a.by === b.by ? 0 : 500) < b.at;
  return made.flatMap((first, at) =>
    made.some((other) => isBefore(other, first))
      ? []
      : possible(made.toSpliced(at, 1)).map((rest) => [first.name, ...rest]),
  );
}

const calls = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c"),
    at: fc.integer({ min: 0, max: 8 }).map((n) => n * 150),
    by: fc.constantFrom("p1", "p2", "p3"),
  }),
  { maxLength: 5 },
);
const rules: readonly {
  readonly of: (wanted: readonly string[]) => Clause;
  readonly test: (order: readonly string[], wanted: readonly string[]) => boolean;
}[] = [
  {
    of: (wanted) => golden("strict", ...wanted),
    test: (order, wanted) => order.join() === wanted.join(),
  },
  {
    of: (wanted) => golden("ordered", ...wanted),
    test: (order, wanted) => {
      let at = 0;
      for (const name of order) if (name === wanted[at]) at += 1;
      return at === wanted.length;
    },
  },
  {
    of: () => ({ clause: "order", tool: "a", before: { tool: "b" }, immediately: true }),
    test: (order) => order.every((name, at) => name !== "b" || order[at - 1] === "a"),
  },
  {
    of: () => ({ clause: "order", tool: "a", before: { tool: "b" }, within_calls: 2 }),
    test: (order) =>
      order.every((name, at) => name !== "b" || order.slice(Math.max(0, at - 2), at).includes("a")),
  },
  {
    of: () => ({ clause: "order", tool: "b", never_after: { tool: "a" }, within_calls: 2 }),
    test: (order) =>
      order.every(
        (name, at) => name !== "b" || !order.slice(Math.max(0, at - 2), at).includes("a"),
      ),
  },
];

test("what is decided is so in every possible order", () => {
  const decided = new Set<string>();
  const wanted = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 });
  fc.assert(
    fc.property(calls, wanted, ([...made], steps) => {
      const orders = possible(made);
      const names = orders[orders.length >> 1] ?? [];
      for (const list of [steps, names]) {
        for (const [at, rule] of rules.entries()) {
          const result = judge(rule.of(list), turn(made));
          const answers = new Set(orders.map((order) => rule.test(order, list)));
          const expected = answers.size > 1 ? undefined : answers.has(true) ? "holds" : "violated";
          if (result !== "not_established") expect(result).toBe(expected);
          decided.add(`${at} ${expected ?? "open"} ${result ?? ""}`);
        }
      }
    }),
    { numRuns: 400 },
  );
  for (const at of rules.keys()) {
    for (const result of ["holds", "violated"]) {
      expect([at, result, decided.has(`${at} ${result} ${result}`)]).toEqual([at, result, true]);
    }
  }
});

describe("a golden of calls that start at one instant", () => {
  const made = [
    { name: "check", at: 10 },
    { name: "find", at: 10 },
    { name: "pay", at: 10 },
  ];
  const recorded = goldenOf("tied", turn(made));
  const against = (match: "strict" | "ordered" | "unordered", ...names: string[]) => {
    const clause: Clause = { clause: "trajectory", match, golden: "tied" };
    const contract = defineContract({ name: "order", expect: [clause] });
    const events = turn(names.map((name, at) => ({ name, at: 10 + 20 * at })));
    const options = { metadata: whole, goldens: [recorded] };
    return evaluateTurns(events, [contract], options)[0]?.contracts[0]?.result;
  };

  test("has no known order, and decides by its steps alone", () => {
    expect(recorded).toMatchObject({ ordered: false });
    expect(against("strict", "find", "check", "pay")).toBe("not_established");
    expect(against("ordered", "find", "check", "pay")).toBe("not_established");
    expect(against("unordered", "find", "check", "pay")).toBe("holds");
    expect(against("strict", "find", "check")).toBe("violated");
    expect(against("ordered", "find", "check")).toBe("violated");
  });

  test("has one where the starts differ, and where the calls are the same step", () => {
    const apart = made.map((one, at) => ({ ...one, at: 10 + 20 * at }));
    expect(goldenOf("apart", turn(apart))).not.toHaveProperty("ordered");
    const same = made.map((one) => ({ ...one, name: "find" }));
    expect(goldenOf("same", turn(same))).not.toHaveProperty("ordered");
  });
});
