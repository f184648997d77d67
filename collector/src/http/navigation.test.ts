/** Links of the rail: their order, what they refuse, and which one is current. */
import { expect, test } from "vitest";

import { joinNavigation, placeAt } from "./navigation.ts";

const turns = { order: 2, href: "/traces", name: "Turns", icon: "turns", key: "t" } as const;
const compare = {
  order: 1,
  href: "/traces/compare",
  name: "Compare",
  icon: "compare",
  key: "c",
} as const;
const sample = { under: "/traces", href: "/sample" };

test("links are in order, with the pages under them", () => {
  const rail = joinNavigation([turns, sample, compare]);
  expect(rail.map(({ name, paths }) => [name, paths])).toEqual([
    ["Compare", ["/traces/compare"]],
    ["Turns", ["/traces", "/sample"]],
  ]);
});

test.each([
  ["/traces", "Turns"],
  ["/traces/abc", "Turns"],
  ["/sample", "Turns"],
  ["/traces/compare/gate", "Compare"],
  ["/docs", undefined],
])("on %s the current link is %s", (path, name) => {
  expect(placeAt(joinNavigation([turns, compare, sample]), path)?.name).toBe(name);
});

test.each(["order", "href", "key"] as const)("two links with one %s are refused", (field) => {
  const twin = { ...compare, [field]: turns[field] };
  expect(() => joinNavigation([turns, twin])).toThrow(`one ${field}`);
});

test("a page under no link is refused", () => {
  expect(() => joinNavigation([compare, sample])).toThrow("/sample is under no link");
});
