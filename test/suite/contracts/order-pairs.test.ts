/**
 * @module An order of two calls is decided as by a look at every pair of them, whatever is known of
 * their times.
 */
import fc from "fast-check";
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Clause, Outcome } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { end, tool, whole } from "./turns.ts";

type Order = Extract<Clause, { readonly clause: "order" }>;

interface Made {
  readonly name: string;
  readonly at: number;
  readonly ms: number;
  readonly by: string;
  /** Which of its times are recorded. */
  readonly has: "both" | "start" | "end";
}

const skew = 500;
const step = 2;

/** True, false or undefined for a difference that clocks may change by `slack`. */
function isAtLeast(value: number, least: number, slack: number): boolean | undefined {
  if (value >= least + slack) return true;
  return value < least - slack ? false : undefined;
}

function began(a: Made, b: Made): boolean | undefined {
  if (a.has === "end" || b.has === "end" || a.at === b.at) return undefined;
  if (a.by !== b.by && Math.abs(a.at - b.at) <= skew) return undefined;
  return a.at < b.at;
}

function hasEnded(a: Made, b: Made): boolean | undefined {
  if (a.has === "start" || b.has === "end") return undefined;
  const gap = b.at - a.at - a.ms;
  if (a.by === b.by) return gap >= 0 ? true : gap < -step ? false : undefined;
  return gap > skew ? true : gap < -skew ? false : undefined;
}

function isSoon(a: Made, b: Made, most: number): boolean | undefined {
  if (a.has === "start" || b.has === "end") return undefined;
  return isAtLeast(most, b.at - a.at - a.ms, a.by === b.by ? 0 : skew);
}

/** Fewest and most calls that begin before this one. */
function places(call: Made, all: readonly Made[]): readonly [number, number] {
  const others = all.filter((other) => other !== call);
  const before = others.filter((other) => began(other, call) === true).length;
  const after = others.filter((other) => began(call, other) === true).length;
  return [before, all.length - 1 - after];
}

function isClose(a: Made, b: Made, most: number, all: readonly Made[]): boolean | undefined {
  const [[firstOfA, lastOfA], [firstOfB, lastOfB]] = [places(a, all), places(b, all)];
  if (lastOfB - firstOfA <= most) return true;
  return firstOfB - lastOfA > most ? false : undefined;
}

function allOf(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/** The order by every pair of calls. */
function byPairs(clause: Order, all: readonly Made[]): Outcome {
  const named = (name: unknown): Made[] => all.filter((call) => name === "*" || call.name === name);
  const other = named((clause.before ?? clause.after ?? clause.never_after)?.tool);
  const own = named(clause.tool);
  const forbids = clause.never_after !== undefined;
  const [anchors, partners] = forbids ? [own, other] : [other, own];
  const results = anchors.map((anchor): Outcome => {
    const answers = partners.flatMap((partner) => {
      if (partner === anchor) return [];
      const [a, b] = clause.after === undefined ? [partner, anchor] : [anchor, partner];
      const { within_ms: ms, within_calls: calls, immediately } = clause;
      const apart = immediately === true ? 1 : calls;
      return [
        allOf([
          began(a, b),
          clause.ended === true ? hasEnded(a, b) : true,
          ms === undefined ? true : isSoon(a, b, ms),
          apart === undefined ? true : isClose(a, b, apart, all),
        ]),
      ];
    });
    if (answers.includes(true)) return forbids ? "violated" : "holds";
    if (answers.includes(undefined)) return "not_established";
    return forbids ? "holds" : "violated";
  });
  if (results.includes("violated")) return "violated";
  return results.includes("not_established") ? "not_established" : "holds";
}

function eventOf({ name, at, ms, by, has }: Made, index: number): TurnEvent {
  const span = `c${String(index).padStart(15, "0")}`;
  const made = tool(name, at, {}, { ms, producer_id: by, span_id: span, event_id: `${span}:r` });
  const { started_at: start, ...late } = made;
  if (has === "end") return late;
  if (has === "both") return made;
  return { ...made, phase: "start", status: "started", timestamp: start ?? made.timestamp };
}

const calls = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c"),
    at: fc.oneof(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 16 }).map((n) => n * 125),
    ),
    ms: fc.constantFrom(0, 1, 2, 3, 125, 500, 700, 1_500),
    by: fc.constantFrom("p1", "p1", "p2", "p3"),
    has: fc.constantFrom(
      "both" as const,
      "both" as const,
      "both" as const,
      "start" as const,
      "end" as const,
    ),
  }),
  { maxLength: 9 },
);

const order: fc.Arbitrary<Order> = fc
  .record({
    tool: fc.constantFrom("a", "*"),
    relation: fc.constantFrom("before" as const, "after" as const, "never_after" as const),
    other: fc.constantFrom("b", "*"),
    ended: fc.constantFrom(true as const, undefined),
    immediately: fc.constantFrom(true as const, undefined, undefined),
    within_ms: fc.constantFrom(0, 1, 125, 600, undefined, undefined),
    within_calls: fc.constantFrom(0, 1, 2, 4, undefined, undefined),
  })
  .map(({ relation, other, ...rest }) => {
    const fields = Object.entries({ ...rest, [relation]: { tool: other } });
    const given = fields.filter(([, value]) => value !== undefined);
    return { clause: "order", ...Object.fromEntries(given) };
  });

test("an order is decided as by every pair of calls", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(calls, order, (made, clause) => {
      const contract = defineContract({ name: "order", expect: [clause] });
      const events = [...made.map(eventOf), end()];
      const [turn] = evaluateTurns(events, [contract], { metadata: whole });
      // Places are among the calls that the clause is about: here every call of a tool.
      const expected = byPairs(clause, made);
      expect(turn?.contracts[0]?.result).toBe(expected);
      seen.set(expected, (seen.get(expected) ?? 0) + 1);
    }),
    { numRuns: 6_000 },
  );
  expect(Math.min(...seen.values())).toBeGreaterThan(500);
  expect(seen.size).toBe(3);
});
