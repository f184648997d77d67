/**
 * @module The published JSON Schema refuses what the parser refuses, over mutations of contracts;
 * what only the parser refuses are rules between fields.
 */
import { ContractError, readContracts } from "@turnproof/contracts";
import schema from "@turnproof/contracts/contract.schema.json" with { type: "json" };
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";

import { clauses, conditions, golden } from "./every-clause.ts";

const accepts = new Ajv2020({ strict: false }).compile(schema);

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const files: fc.Arbitrary<Json> = fc
  .record({
    expect: fc.array(fc.constantFrom(...clauses), { minLength: 1, maxLength: 3 }),
    when: fc.option(fc.constantFrom(...conditions), { nil: undefined }),
    severity: fc.constantFrom("error", "warning", "note", undefined),
  })
  .map(
    ({ expect: own, when, severity }) =>
      JSON.parse(
        JSON.stringify({
          version: 1,
          contracts: [{ name: "a", expect: own, when, severity, description: "A text." }],
          goldens: [golden],
        }),
      ) as Json,
  );

const values: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  101,
  1e9,
  "",
  "x",
  "success",
  "k1_aaaaaaaaaaaaaaaaaaaaaaaaaa",
  "x".repeat(300),
  [],
  ["x"],
  ["x", 1],
  {},
  { tool: "x" },
  { at_least: 1 },
);

/** Changes one value at a place of chance: another value, a further field, or none. */
const mutations = fc.record({
  place: fc.nat(10_000),
  how: fc.constantFrom("replace", "remove", "add", "repeat"),
  name: fc.constantFrom("tool", "at_most", "when", "id", "severity", "tol", "name", "steps"),
  value: values,
});

type Mutation = typeof mutations extends fc.Arbitrary<infer T> ? T : never;

function containers(value: Json): (Json[] | { [key: string]: Json })[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containers)];
}

function mutate(file: Json, { place, how, name, value }: Mutation): Json {
  const copy = structuredClone(file);
  const all = containers(copy);
  const at = all[place % all.length];
  if (at === undefined) return value;
  if (Array.isArray(at)) {
    if (how === "remove") at.splice(place % (at.length + 1), 1);
    else if (how === "repeat") at.push(...structuredClone(at));
    else if (how === "add") at.push(value);
    else if (at.length > 0) at[place % at.length] = value;
    return copy;
  }
  const keys = Object.keys(at);
  const key = keys[place % Math.max(1, keys.length)] ?? name;
  if (how === "remove") delete at[key];
  else if (how === "add" || how === "repeat") at[name] = value;
  else at[key] = value;
  return copy;
}

/** The rules of a refused file; none where it is read. */
function refused(file: Json): readonly string[] {
  try {
    readContracts(file);
    return [];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.problems.map(({ rule }) => rule);
  }
}

/** Rules between fields, which the schema does not have. */
const between =
  /^(needs (one of )?[a-z_]+(, [a-z_]+)* (or|and) [a-z_]+|needs one of duration_at_most_ms.*|occurs twice|has exactly or never beside another limit|has one severity for all of its clauses|at_least is above the number of its clauses|([a-z_]+: )?[a-z_]+ is above [a-z_]+)$/;

test("over mutations the schema and the parser agree", () => {
  const seen = { read: 0, refused: 0, between: 0 };
  fc.assert(
    fc.property(files, fc.array(mutations, { maxLength: 3 }), (file, changes) => {
      const changed = changes.reduce<Json>(mutate, file);
      const rules = refused(changed);
      const isBetween = rules.length > 0 && rules.every((rule) => between.test(rule));
      expect([accepts(changed), rules]).toEqual([rules.length === 0 || isBetween, rules]);
      seen[rules.length === 0 ? "read" : isBetween ? "between" : "refused"] += 1;
    }),
    { numRuns: 4_000 },
  );
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(500);
  expect(seen.between).toBeGreaterThan(50);
});

test("the schema refuses a kind that is not that of the tool or the model beside it", () => {
  const fileOf = (selector: object): Json =>
    JSON.parse(
      JSON.stringify({
        version: 1,
        contracts: [
          {
            name: "a",
            when: { calls: { ...selector, inside: selector } },
            expect: [{ clause: "calls", ...selector, at_least: 1 }],
          },
        ],
      }),
    ) as Json;
  const refusedKinds = { tool: "model_call", model: "tool_call" } as const;
  for (const [field, kind] of Object.entries(refusedKinds)) {
    expect(accepts(fileOf({ [field]: "x", kind }))).toBe(false);
    expect(new Set(refused(fileOf({ [field]: "x", kind })))).toEqual(
      new Set([`needs ${field}_call beside ${field}`]),
    );
    expect(accepts(fileOf({ [field]: "x", kind: `${field}_call` }))).toBe(true);
    expect(refused(fileOf({ [field]: "x", kind: `${field}_call` }))).toEqual([]);
  }
});
