/**
 * @module Selection: every candidate has its ledger line; no duplicate passes and the budget
 * holds.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { lexicalEmbedder } from "./embedder.ts";
import { select } from "./selection.ts";
import type { Candidate, SelectionOptions } from "./selection.ts";

const bounds: SelectionOptions = {
  relevanceMin: 0.2,
  itemsMax: 3,
  charsMax: 1_000,
  relevanceWeight: 0.7,
  present: [],
};
const candidate = (id: string, text: string, relevance: number): Candidate => ({
  id,
  source: "summary",
  text,
  relevance,
});
const reasons = (candidates: readonly Candidate[], more: Partial<SelectionOptions> = {}): object =>
  Object.fromEntries(
    select(candidates, { ...bounds, ...more }).ledger.map((line) => [
      line.candidate.id,
      line.reason,
    ]),
  );

describe("reasons", () => {
  test("say why each candidate was taken or left", () => {
    const found = reasons(
      [
        candidate("a", "the boiler was repaired in march", 0.9),
        candidate("b", "The boiler was repaired, in March!", 0.8),
        candidate("c", "the boiler was repaired in march 2026", 0.7),
        candidate("d", "shoes are red", 0.1),
        candidate("e", "you said hello", 0.6),
        candidate("f", "x".repeat(2_000), 0.5),
        candidate("g", "the garden has roses", 0.4),
      ],
      { present: ["You said: hello"], charsMax: 500 },
    );
    expect(found).toEqual({
      a: "selected",
      b: "exact_duplicate",
      c: "near_duplicate",
      d: "below_relevance",
      e: "in_history",
      f: "char_budget",
      g: "selected",
    });
  });

  test("diversity goes before a little more relevance", async () => {
    const texts = ["boiler repair cellar", "boiler repair cellar now", "garden roses watering"];
    const { embeddings } = await lexicalEmbedder().doEmbed({ values: texts });
    const candidates = texts.map((text, i) => ({
      ...candidate(String(i), text, [0.9, 0.88, 0.6][i]!),
      embedding: embeddings[i]!,
    }));
    const { selected } = select(candidates, { ...bounds, itemsMax: 2, relevanceWeight: 0.5 });
    expect(selected.map(({ id }) => id)).toEqual(["0", "2"]);
    const alone = select(candidates, { ...bounds, itemsMax: 2, relevanceWeight: 1 });
    expect(alone.selected.map(({ id }) => id)).toEqual(["0", "1"]);
  });
});

test("holds its bounds and forgets nobody, whatever comes", () => {
  const items = fc.array(
    fc.record({
      text: fc.lorem({ maxCount: 12 }),
      relevance: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(items, fc.nat(400), fc.nat(8), (drafts, charsMax, itemsMax) => {
      const candidates = drafts.map(({ text, relevance }, i) =>
        candidate(`c${i}`, text, relevance),
      );
      const { selected, ledger } = select(candidates, { ...bounds, charsMax, itemsMax });
      expect(ledger).toHaveLength(candidates.length);
      expect(ledger.filter((line) => line.selected)).toHaveLength(selected.length);
      expect(selected.length).toBeLessThanOrEqual(itemsMax);
      expect(selected.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(
        charsMax,
      );
      expect(selected.every(({ relevance }) => relevance >= bounds.relevanceMin)).toBe(true);
      expect(new Set(selected.map(({ text }) => text.toLowerCase())).size).toBe(selected.length);
      const shuffled = select(candidates.toReversed(), { ...bounds, charsMax, itemsMax });
      expect(shuffled.selected).toEqual(selected);
    }),
  );
});
