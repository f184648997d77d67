/** @module Every code that a route can answer with has words of its own, and a next step. */
import { codes } from "@turnproof/semconv";
import type { CodeRow } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { allowedText, problemTexts } from "./problem-texts.ts";

const fallback = problemTexts(418, "no_such_code");

test.each(Object.entries(codes))("%s", (code, row: CodeRow) => {
  const { status = 500 } = row;
  const words = problemTexts(status, code);
  expect(words).not.toEqual(fallback);
  expect(words.next).toMatch(/[.]$/);
});

test("a failure of our own is stated once, with what to do", () => {
  const { title, next } = problemTexts(500, "internal_error");
  const words = `${title} ${codes.internal_error.sentence} ${next}`.toLowerCase();
  expect(words).not.toContain("error");
  expect(next).toMatch(/^Try again\./);
  expect(words.match(/\blog\b/g)).toHaveLength(1);
});

test("damage names where its repair is, and no second try", () => {
  const { next } = problemTexts(500, "store_corrupt");
  expect(next).toContain("Health");
  expect(next).not.toContain("Try again");
});

test("what was named and is not there is told from an address that is none", () => {
  const named = problemTexts(404, "not_found", "code");
  expect(named).not.toEqual(problemTexts(404, "not_found"));
});

test("text that is not kept is told from an address that cannot be read", () => {
  const refused = problemTexts(400, "attribute_credential", "text");
  expect(refused).not.toEqual(problemTexts(400, "parameter_invalid"));
});

test("a refused term is named by its place and key, with the allowed words", () => {
  const term = { place: 2, key: "verdict" };
  expect(allowedText({ field: "q", term, allowed: ["success", "failed"] })).toBe(
    "Allowed in q, term 2 (verdict:): success, failed.",
  );
  expect(allowedText({ field: "sort", allowed: ["ended_at"] })).toBe("Allowed in sort: ended_at.");
  expect(allowedText({ field: "limit" })).toBe("");
  const many = Array.from({ length: 30 }, (_, n) => `word-${n}`);
  expect(allowedText({ allowed: many })).toMatch(/word-23, and 6 more\.$/);
});
