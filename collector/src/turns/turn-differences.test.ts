/** The order of what sets turns apart. */
import { expect, test } from "vitest";

import type { SideCounts } from "../ui/display/differences.ts";
import { differencesOf } from "./turn-differences.ts";

const side = (turns: number, counts: Readonly<Record<string, number>>): SideCounts => ({
  turns,
  keys: Object.entries(counts).map(([name, count]) => {
    const [key = "", value = ""] = name.split(":");
    return { key, counts: new Map([[value, count]]), unrecorded: turns - count, total: 1 };
  }),
});

test("what a turn was comes before how it ended, where chance explains neither", () => {
  const these = side(40, { "finding:a": 40, "release:2": 30, "verdict:failed": 40, "tool:x": 21 });
  const all = { "finding:a": 40, "release:2": 50, "verdict:failed": 40, "tool:x": 205 };
  const terms = [{ key: "verdict", value: "failed", negated: false }];
  const { values, tested } = differencesOf(these, side(400, all), { names: new Map(), terms });
  expect(tested).toBe(3);
  expect(values.map(({ key, kind, significant }) => [key, kind, significant])).toEqual([
    ["release", "origin", true],
    ["finding", "result", true],
    ["tool", "origin", false],
  ]);
});

test("beside no other turn nothing is tested", () => {
  const these = side(2, { "release:2": 2 });
  const options = { names: new Map(), terms: [] };
  expect(differencesOf(these, these, options)).toMatchObject({ others: 0, values: [], tested: 0 });
});

test("no value of a list that the turns were selected by is compared", () => {
  const counts = new Map([
    ["a", 20],
    ["b", 20],
  ]);
  const of = (turns: number): SideCounts => ({
    turns,
    keys: [{ key: "model", counts, unrecorded: turns - 40, total: 2 }],
  });
  const terms = [{ key: "model", value: "a", others: ["b"], negated: false }];
  const options = { names: new Map(), terms };
  expect(differencesOf(of(40), of(400), options)).toMatchObject({ values: [], tested: 0 });
});
