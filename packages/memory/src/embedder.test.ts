/**
 * @module Embedder: the lexical default is deterministic, separates spellings and declares itself
 * lexical.
 */
import { expect, test } from "vitest";

import { embedAll, lexicalEmbedder } from "./embedder.ts";
import type { Embedder } from "./embedder.ts";
import { literalsOf } from "./semantic-cache.ts";
import { cosineOf } from "./vector.ts";

const lexical = lexicalEmbedder();
const near = async (a: string, b: string): Promise<number> => {
  const [left = [], right = []] = await embedAll(lexical, [a, b]);
  return cosineOf(left, right);
};

test("alike texts are near, others are not, order and case say little", async () => {
  const question = "When does the shop open on Sundays?";
  expect(await near(question, question)).toBeCloseTo(1);
  expect(await near(question, "when does the shop open on sunday")).toBeGreaterThan(0.78);
  expect(await near(question, "My parcel arrived with a broken lid")).toBeLessThan(0.2);
  expect(await near("", "anything")).toBe(0);
  expect(lexical).toMatchObject({ lexical: true, provider: "turnproof" });
});

test("a model is given no more texts than it takes", async () => {
  const sizes: number[] = [];
  const small: Embedder = {
    provider: "x",
    modelId: "y",
    maxEmbeddingsPerCall: Promise.resolve(2),
    doEmbed: async ({ values }) => {
      sizes.push(values.length);
      return { embeddings: values.map((text) => [text.length]) };
    },
  };
  expect(await embedAll(small, ["a", "bb", "ccc", "dddd", "eeeee"])).toEqual([
    [1],
    [2],
    [3],
    [4],
    [5],
  ]);
  expect(sizes).toEqual([2, 2, 1]);
});

test("literals are what similarity must not blur", () => {
  const same = (a: string, b: string): boolean => literalsOf(a) === literalsOf(b);
  expect(same("Where is order A-1001?", "where is order a-1001")).toBe(true);
  expect(same("Where is order A-1001?", "Where is order A-1002?")).toBe(false);
  expect(same("Does it cost 3.50?", "Does it cost 35.0?")).toBe(false);
  expect(same('Translate "dog"', 'Translate "cat"')).toBe(false);
  expect(same("May I return it", "May I not return it")).toBe(false);
  expect(same("I don't want it", "I want it")).toBe(false);
  expect(same("Open on Sunday?", "Open on sundays")).toBe(true);
});
