/**
 * @module The recall benchmark's rows and questions, as a test: both searches together place the
 * answer at least as often as each alone at 1, 3 and 5, and more often in the mean. Which rows are
 * placed does not depend on the machine; the bench measures what they cost.
 */
import { readFile } from "node:fs/promises";

import { ephemeralMemory } from "@turnproof/store";
import { expect, test } from "vitest";

import { filled, measure, modes, questions } from "../../bench/recall/recall.ts";
import { topicEmbedder } from "../../bench/recall/topic-embedder.ts";

test("hybrid retrieval wins over words and over vectors", async () => {
  const memory = await filled(ephemeralMemory(), topicEmbedder());
  const lexical = await measure(memory, "lexical");
  const vector = await measure(memory, "vector");
  const hybrid = await measure(memory, "hybrid");
  for (const k of [1, 3, 5] as const) {
    expect(hybrid.hitRate[k]).toBeGreaterThanOrEqual(lexical.hitRate[k]);
    expect(hybrid.hitRate[k]).toBeGreaterThanOrEqual(vector.hitRate[k]);
  }
  expect(hybrid.mean).toBeGreaterThan(Math.max(lexical.mean, vector.mean) + 0.05);
  // Otherwise there would be nothing to compare: each search alone wins somewhere.
  expect(lexical.firstByKind["identifier"]).toBeGreaterThan(
    (vector.firstByKind["identifier"] ?? 1) + 0.3,
  );
  expect(vector.firstByKind["paraphrase"]).toBeGreaterThan(
    (lexical.firstByKind["paraphrase"] ?? 1) + 0.3,
  );
});

test("the README's table is what the benchmark gives", async () => {
  const page = await readFile(
    new URL("../../../packages/memory/README.md", import.meta.url),
    "utf8",
  );
  const memory = await filled(ephemeralMemory(), topicEmbedder());
  for (const mode of modes) {
    const { hitRate, firstByKind, tokens } = await measure(memory, mode);
    const shares = [hitRate[1], hitRate[3], hitRate[5], ...Object.values(firstByKind)];
    const cells = [
      mode,
      ...shares.map((share) => `${Math.round(share * 100)} %`),
      Math.round(tokens),
    ];
    expect(page).toContain(`| ${cells.join(" | ")} |`);
  }
});

test("hybrid is what a memory with an embedder of meaning does by itself", async () => {
  const { memory } = await filled(ephemeralMemory(), topicEmbedder());
  const place = { userId: "user_1", agentId: "desk", memoryId: "shop" };
  for (const { text } of questions().slice(0, 24)) {
    const byItself = await memory.assembleContext(place, { text });
    const hybrid = await memory.assembleContext(place, { text }, { retrieval: { mode: "hybrid" } });
    expect(byItself.recalled).toEqual(hybrid.recalled);
    expect(byItself.record).toMatchObject({ degraded: false, fallback_used: false, limits: [] });
    expect(byItself.recalled.considered.length).toBeLessThanOrEqual(48);
  }
});
