/**
 * @module One call in two spans, of which one is missing: what the other records decides by its
 * name alone, because the whole window may count the one that is missing.
 */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Clause, Outcome } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { end, step, tool, whole } from "./turns.ts";

const print = (letter: string): string => `k1_${letter.repeat(26)}`;

const own = tool(
  "refund",
  1_000,
  { call_fingerprint: print("a"), result_count: 1 },
  { ms: 100, dialect: "turnproof" },
);
const other = tool(
  "refund",
  1_001,
  { tool_outcome: "fallback", call_fingerprint: print("b"), result_count: 9, tool_provider: "p" },
  { ms: 98, dialect: "vercel_ai", parent_span_id: "session" },
);
const session = step("span", 990, {}, { span_id: "session", ms: 200 });
const all = [own, session, other, end()];

function judge(clause: Clause, events: readonly TurnEvent[], count = events.length): Outcome {
  const contract = defineContract({ name: "one", expect: [clause] });
  const options = { metadata: whole, marks: { event_count: count }, otherwise: null };
  const [turn] = evaluateTurns(events, [contract], options);
  return turn?.contracts[0]?.result ?? "not_established";
}

const refund = { tool: "refund" } as const;
/** What the missing span decides over the whole. */
const open: readonly (readonly [Clause, Outcome])[] = [
  [{ clause: "tools_clean" }, "holds"],
  [{ clause: "calls", ...refund, outcome: "fallback", never: true }, "holds"],
  [{ clause: "calls", ...refund, inside: { operation: "span" }, never: true }, "holds"],
  [{ clause: "calls", ...refund, provider: "p", never: true }, "not_established"],
  [{ clause: "arguments", ...refund, any_of: [print("a")] }, "holds"],
  [{ clause: "each_call", ...refund, results_at_most: 5 }, "holds"],
  [{ clause: "each_call", ...refund, provider_in: ["q"] }, "not_established"],
  [
    {
      clause: "trajectory",
      match: "unordered",
      compare: ["arguments"],
      steps: [{ kind: "tool", name: "refund", fingerprint: print("a") }],
    },
    "holds",
  ],
];

describe("a call that two libraries describe, without the span that counts", () => {
  test.each(open)("leaves open: %j", (clause, expected) => {
    expect(judge(clause, all)).toBe(expected);
    const part = all.filter((event) => event !== own);
    expect(judge(clause, part, all.length)).toBe("not_established");
  });

  test("decides by its name", () => {
    for (const part of [all.filter((event) => event !== own), [own, end()], all]) {
      const results = (...clauses: Clause[]): Outcome[] =>
        clauses.map((clause) => judge(clause, part, all.length + 1));
      expect(
        results(
          { clause: "calls", ...refund, never: true },
          { clause: "tools", forbidden: ["refund"] },
          { clause: "trajectory", match: "subset", steps: [{ kind: "tool", name: "search" }] },
          { clause: "tools_f1", expected: ["search"], at_least: 0.9 },
        ),
      ).toEqual(["violated", "violated", "violated", "violated"]);
      expect(
        results(
          { clause: "calls", ...refund, at_least: 1 },
          { clause: "trajectory", match: "superset", steps: [{ kind: "tool", name: "refund" }] },
        ),
      ).toEqual(["holds", "holds"]);
      expect(results({ clause: "calls", ...refund, at_most: 1 })).toEqual(["not_established"]);
    }
  });

  test("counts the calls of one library", () => {
    const again = tool("refund", 3_000, {}, { dialect: "vercel_ai" });
    const events = [own, session, other, again, end()];
    expect(judge({ clause: "calls", ...refund, at_most: 1 }, events, 9)).toBe("violated");
    expect(judge({ clause: "calls", ...refund, at_most: 2 }, events, 9)).toBe("not_established");
  });

  test("decides by what it records where no library can describe it as well", () => {
    const { dialect: _, ...plain } = other;
    const part = [session, plain, end()];
    const decided = open.map(([clause]) => judge(clause, part, 9));
    // A repetition that is missing may turn an outcome other than a failure.
    const expected = open.map((_, at) => (at === 1 ? "not_established" : "violated"));
    expect(decided).toEqual(expected);
  });
});

test("a start without its end decides by its name alone", () => {
  const ended = tool("refund", 10, { call_fingerprint: print("a"), tool_provider: "q" });
  const start: TurnEvent = {
    ...tool("refund", 10, { call_fingerprint: print("b"), tool_provider: "p", result_count: 9 }),
    event_id: `${ended.span_id ?? ""}:start`,
    phase: "start",
    status: "started",
  };
  const clauses: readonly Clause[] = [
    { clause: "arguments", ...refund, any_of: [print("a")] },
    { clause: "each_call", ...refund, results_at_most: 5 },
    { clause: "calls", ...refund, provider: "p", never: true },
  ];
  for (const clause of clauses) {
    expect(judge(clause, [start, ended, end()])).not.toBe("violated");
    expect(judge(clause, [start, end()], 3)).toBe("not_established");
    // Over the whole the call never ended, and its start is what is recorded.
    expect(judge(clause, [start, end()])).toBe("violated");
  }
  expect(judge({ clause: "calls", ...refund, never: true }, [start, end()], 3)).toBe("violated");
});

test("a call without a name leaves a call too many, and steps that are all there, decided", () => {
  const { tool_name: _, ...attributes } = tool("x", 50).attributes;
  const events = [tool("a", 10), tool("b", 20), { ...tool("x", 50), attributes }, end()];
  const judged = (match: "subset" | "superset" | "strict", ...names: string[]): Outcome =>
    judge(
      { clause: "trajectory", match, steps: names.map((name) => ({ kind: "tool", name })) },
      events,
    );
  expect(judged("subset", "a")).toBe("violated");
  expect(judged("strict", "a", "c", "d")).toBe("violated");
  expect(judged("superset", "a", "b")).toBe("holds");
  expect(judged("subset", "a", "b", "c")).toBe("not_established");
});
