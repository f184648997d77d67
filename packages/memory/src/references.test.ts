/**
 * @module References: exact overlap counts; chance overlap and the question's own words do not.
 */
import { expect, test } from "vitest";

import { findReferences } from "./references.ts";
import type { SuppliedFrom } from "./references.ts";

const found = (source: SuppliedFrom, text: string, answer: string, question = ""): boolean =>
  findReferences([{ source, text }], answer, question).length === 1;

test("a long source is referenced by six of its words in a row", () => {
  const source = "The boiler in the cellar was repaired by Tomas in March.";
  expect(found("summary", source, "Well: the boiler in the cellar WAS repaired, I think.")).toBe(
    true,
  );
  expect(found("summary", source, "The boiler was repaired in the cellar by Tomas.")).toBe(false);
  expect(found("summary", source, "the boiler in the cellar")).toBe(false);
});

test("a short source is referenced whole, as words", () => {
  expect(found("profile", "Lisbon", "You live in Lisbon, I believe.")).toBe(true);
  expect(found("profile", "Lisbon", "Lisbonenses are friendly.")).toBe(false);
  expect(found("profile", "no", "There is no other way.")).toBe(false);
  expect(found("profile", "", "Anything.")).toBe(false);
});

test("words that the question brought prove nothing", () => {
  const question = "Do I live in Lisbon?";
  expect(found("profile", "Lisbon", "You asked whether you live in Lisbon.", question)).toBe(false);
  const long = "who repaired the boiler in the cellar last year";
  expect(found("history", long, `You asked ${long}.`, long)).toBe(false);
});

test("tone is not measured", () => {
  expect(found("preference", "dry humour", "I use dry humour.")).toBe(false);
  expect(found("writing_sample", "yours truly and dry", "yours truly and dry")).toBe(false);
});

test("other scripts have words as well", () => {
  expect(found("profile", "Санкт-Петербург", "Вы живёте в Санкт-Петербург сейчас.")).toBe(true);
});
