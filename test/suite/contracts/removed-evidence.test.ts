/**
 * @module What is removed from a window never makes a contract hold or fail that would not do so
 * over all of it, where the count, the digest, the bounds or a loss show that something is gone.
 */
import fc from "fast-check";
import type { Clause, EvaluateOptions, Outcome } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { clauseSchema, conditionSchema } from "../../../packages/contracts/src/language/clauses.ts";
import { clauses, conditions, contracts } from "./every-clause.ts";
import { gaps, parts, resultsOf, turns } from "./generated-turns.ts";
import { model, whole } from "./turns.ts";

function shown(gap: string, all: readonly TurnEvent[]): EvaluateOptions {
  return gaps[gap]?.(all) ?? {};
}

test("every clause, every field of it and every condition is part of the property", () => {
  const used = new Set<string>();
  for (const clause of clauses) {
    for (const field of Object.keys(clause)) used.add(`${clause.clause}.${field}`);
  }
  const shared = new Set(["clause", "severity", "when", "id"]);
  const all = clauseSchema.options.flatMap(({ shape }) => {
    const name = shape.clause.value;
    return Object.keys(shape).flatMap((field) => (shared.has(field) ? [] : `${name}.${field}`));
  });
  for (const option of clauseSchema.options) all.push(`${option.shape.clause.value}.clause`);
  expect(all.filter((field) => !used.has(field))).toEqual([]);
  const read = new Set(conditions.flatMap((condition) => Object.keys(condition)));
  expect(Object.keys(conditionSchema.shape).filter((field) => !read.has(field))).toEqual([]);
});

const established: Record<string, Set<Outcome>> = {};

test("a part of a window says nothing that the whole does not say", () => {
  fc.assert(
    fc.property(parts, fc.constantFrom(...Object.keys(gaps)), ([events, part], gap) => {
      if (part.length === events.length) return;
      const all = resultsOf(events, contracts, { metadata: whole });
      for (const [contract, { result }] of resultsOf(part, contracts, shown(gap, events))) {
        if (result === "not_established") continue;
        const expected = all.get(contract)?.result ?? "holds";
        expect([gap, contract, result]).toEqual([gap, contract, expected]);
        (established[contract] ??= new Set()).add(result);
      }
    }),
    { numRuns: 3_000 },
  );
  // The property is about something: presence decides many clauses both ways.
  const decided = Object.values(established);
  expect(decided.filter((results) => results.has("holds")).length).toBeGreaterThan(8);
  expect(decided.filter((results) => results.has("violated")).length).toBeGreaterThan(15);
});

test("a clause about absence never holds where something is gone", () => {
  const absent = new Set(
    contracts.flatMap(({ name, expect: [clause] }) =>
      clause !== undefined && needsAbsence(clause) ? [name] : [],
    ),
  );
  expect(absent.size).toBeGreaterThan(30);
  fc.assert(
    fc.property(turns, fc.constantFrom(...Object.keys(gaps)), (events, gap) => {
      const gone = [...events, model(4_000)];
      for (const [contract, { result }] of resultsOf(events, contracts, shown(gap, gone))) {
        if (absent.has(contract)) expect([contract, result]).not.toEqual([contract, "holds"]);
      }
    }),
    { numRuns: 500 },
  );
});

/** Clauses that hold only because something did not happen, or because nothing came later. */
function needsAbsence(clause: Clause): boolean {
  if (clause.when !== undefined) return false;
  switch (clause.clause) {
    case "ended":
    case "status":
    case "duration":
    case "stages":
      return false;
    case "calls":
      return clause.at_least === undefined;
    case "some_of":
      return clause.expect.every(needsAbsence);
    case "tools_f1":
      return clause.at_least !== undefined;
    case "memory":
      return clause.supplied?.at_least === undefined;
    case "trajectory":
      return clause.match !== "superset";
    default:
      return true;
  }
}

test("over the whole of generated turns every clause is met and broken", () => {
  const seen: Record<string, Set<Outcome>> = {};
  fc.assert(
    fc.property(turns, (events) => {
      for (const [contract, { result }] of resultsOf(events, contracts, { metadata: whole })) {
        (seen[contract] ??= new Set()).add(result);
      }
    }),
    { numRuns: 3_000 },
  );
  // One contract is that of another agent.
  const applying = contracts.filter(({ when }) => when?.agent !== "other");
  const never = applying.flatMap(({ name }) =>
    (["holds", "violated"] as const)
      .filter((result) => seen[name]?.has(result) !== true)
      .map((result) => `${name} ${result}`),
  );
  expect(never).toEqual([]);
});

test("a contract that a part leaves out, or takes in, is left out or taken in over the whole", () => {
  const conditional = contracts.filter(({ when }) => when !== undefined);
  const stated = new Set<string>();
  fc.assert(
    fc.property(parts, fc.constantFrom(...Object.keys(gaps)), ([events, part], gap) => {
      const found = resultsOf(part, conditional, shown(gap, events));
      // The agent of a turn is known, so nothing at all is a part without a turn.
      if (found.size === 0 || part.length === events.length) return;
      const all = resultsOf(events, conditional, { metadata: whole });
      for (const { name } of conditional) {
        const applies = found.has(name) ? found.get(name)?.applies : false;
        if (applies === null) continue;
        stated.add(`${name} ${applies}`);
        expect([name, applies]).toEqual([name, all.get(name)?.applies ?? false]);
      }
    }),
    { numRuns: 3_000 },
  );
  // In a part the agent, the turn's own result and what is recorded decide; that a search found
  // nothing does not: a repetition that is missing may have found something.
  expect([...stated].toSorted()).toEqual([
    "when-0-agent true",
    "when-1-agent false",
    "when-10-status false",
    "when-10-status true",
    "when-11-calls true",
    "when-2-application true",
    "when-3-release true",
    "when-4-environment true",
    "when-5-profile true",
    "when-6-intent true",
    "when-7-calls true",
    "when-9-calls true",
  ]);
});

test("events without a root decide nothing that they do not decide with it", () => {
  const decided = new Set<string>();
  fc.assert(
    fc.property(turns, (events) => {
      const all = resultsOf(events, contracts, { metadata: whole });
      const loose = events.map((event) => {
        const { root_trace_id: _root, ...rest } = event;
        return rest;
      });
      for (const [contract, { result }] of resultsOf(loose, contracts, { metadata: whole })) {
        if (result === "not_established") continue;
        decided.add(result);
        expect([contract, result]).toEqual([contract, all.get(contract)?.result ?? "holds"]);
      }
    }),
    { numRuns: 500 },
  );
  expect(decided).toEqual(new Set(["holds", "violated"]));
});
