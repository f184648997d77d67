/**
 * @module StrangerWorld: tenants and ids that an attacker tries, and what a stranger to the code
 * expects of a store that keeps them apart: a model of plain maps, where two texts are one only
 * when they are equal in JavaScript.
 */
import { expect } from "vitest";

/** Texts that careless code takes for one another, for nothing, for everything or for code. */
export const strangeTexts: readonly string[] = [
  "ann",
  "Ann",
  "ANN",
  "ann ",
  " ann",
  "ann.",
  "ann\u0000",
  "ann\u0000bob",
  "bob",
  "\uff41\uff4e\uff4e",
  "\u0430nn",
  "a\u200bnn",
  "\u00e9ve",
  "e\u0301ve",
  "\u212a",
  "K",
  "k",
  "\u0130",
  "i\u0307",
  "\u00df",
  "ss",
  "\ufb01",
  "fi",
  "1",
  "01",
  "1.0",
  "1e0",
  "0",
  "-0",
  "true",
  "null",
  "NULL",
  "undefined",
  "anonymous",
  "NaN",
  "[object Object]",
  "..",
  "../",
  "../ann",
  "..\\ann",
  "/ann",
  "ann/../bob",
  "%2e%2e%2fann",
  "~",
  "$ne",
  "$where",
  '{"$gt":""}',
  '{"$ne":null}',
  "[]",
  "{}",
  "*",
  "%",
  "_",
  "a%",
  ".*",
  "'",
  '"',
  "`",
  "\\",
  "' OR ''='",
  "x'); DROP TABLE entity_memory; --",
  "$1",
  "{tenant:String}",
  "__proto__",
  "constructor",
  "toString",
  "index.json",
  "shared",
  "u_mfxg4",
  "CON",
  "\u202enna",
  "\ud83d\ude00",
  "\ufffd",
  "\ue000",
  "\n",
  "\t",
  " ",
];

const long = "x".repeat(9_999);

/** Ids of memory have no length; of evidence they have one. */
export const longTexts: readonly string[] = [
  `${long}a`,
  `${long}b`,
  `${"\u{1f4a9}".repeat(5_000)}`,
];

/** What is no tenant at all, whatever a caller without types hands over. */
export const noTenants: readonly unknown[] = [
  undefined,
  "",
  0,
  1,
  true,
  Number.NaN,
  {},
  [],
  ["ann"],
  { $ne: null },
  { $gt: "" },
  { toString: () => "ann" },
  Object("ann"),
  Symbol("ann"),
  () => "ann",
  "\ud800",
  "ann\udc00",
];

/** The word by which a row marks its owner, wherever it turns up. */
export function ownerMark(tenant: number): string {
  return `owner:${tenant}:`;
}

/** Marks of owners anywhere in an answer. */
export function ownersIn(answer: unknown): ReadonlySet<string> {
  const text = JSON.stringify(answer, (_key, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
  return new Set(text?.match(/owner:\d+:/g) ?? []);
}

/** Numbers that follow from a seed, the same on every machine (mulberry32). */
export function numbersOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** How much a driver does, and what repeats it. */
export interface StrangerEffort {
  readonly commands: number;
  readonly seed: number;
}

/** Throws unless nothing of another tenant is in the answer. */
export function only(answer: unknown, tenant: number): void {
  const own = ownerMark(tenant);
  const foreign = [...ownersIn(answer)].filter((mark) => mark !== own);
  expect(foreign, "marks of other owners").toEqual([]);
}
