/** @module Every code that a route can answer with has words of its own, and a next step. */
import { codes } from "@turnproof/semconv";
import type { CodeRow } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { problemWords } from "./problem-words.ts";

const fallback = problemWords(418, "no_such_code");

test.each(Object.entries(codes))("%s", (code, row: CodeRow) => {
  const { status = 500 } = row;
  const words = problemWords(status, code);
  expect(words).not.toEqual(fallback);
  expect(words.next).toMatch(/[.]$/);
});

test("what was named and is not there is told from an address that is none", () => {
  const named = problemWords(404, "not_found", "code");
  expect(named).not.toEqual(problemWords(404, "not_found"));
});

test("text that is not kept is told from an address that cannot be read", () => {
  const refused = problemWords(400, "attribute_credential", "text");
  expect(refused).not.toEqual(problemWords(400, "parameter_invalid"));
});
