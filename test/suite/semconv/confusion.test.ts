/** The goals of the guard: what share of secrets is refused and of legitimate values is kept. */
import { attribute, screenValue } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { measured, modelNames, promptsThatPass } from "./confusion.ts";

const { secret, kept } = measured();

describe("of well-formed secrets at least 99 % are refused", () => {
  test.each(secret)("$corpus", ({ texts, right, wrong }) => {
    expect([right / texts >= 0.99, wrong.length <= texts / 100]).toEqual([true, true]);
  });
});

describe("of legitimate values at least 99.5 % are kept", () => {
  test.each(kept)("$corpus", ({ texts, right, wrong }) => {
    expect({ share: right / texts >= 0.995, wrong }).toEqual({ share: true, wrong: [] });
  });
});

test("the corpora are large", () => {
  expect(modelNames().length).toBeGreaterThan(1_500);
  expect(secret.reduce((sum, { texts }) => sum + texts, 0)).toBeGreaterThan(50_000);
  expect(kept.reduce((sum, { texts }) => sum + texts, 0)).toBeGreaterThan(30_000);
});

test("of short prompts few pass as a name", () => {
  const { known, heldOut } = promptsThatPass();
  expect(known.passed.length / known.texts).toBeLessThan(0.06);
  expect(heldOut.passed.length / heldOut.texts).toBeLessThan(0.6);
});

test("what a route or a model may hold lets no query, value or sentence in", () => {
  const queries = ["/search?q=ann", "/a/b?ann", "/a=b", "/{q=ann}", "/a/{q=ann}/*", "/a b", "^a/b"];
  for (const text of queries) expect(screenValue(attribute.http_route, text)).toBeDefined();
  const stated = ["gpt (who is ann)", "gpt (a) b", "tell me, gpt", "/", " (preview)"];
  for (const text of stated) expect(screenValue(attribute.model, text)).toBeDefined();
  const classes = ["Box<dyn who is it>", "a + b", "dyn Error", "Error + core::marker::send"];
  for (const text of classes) expect(screenValue(attribute.error_type, text)).toBeDefined();
});
