/**
 * @module TopicEmbedder: an embedding model that needs no download: random indexing (Kanerva,
 * Kristofersson and Holst 2000) over `data/thesaurus.txt`, whose lines are words of one topic, and
 * a little of the letters of each word. Like the neural models that it stands in for, it places
 * a sofa near a couch, and A-1001 near A-1002; unlike them, it holds only its lines.
 */
import { readFileSync } from "node:fs";

import type { Embedder } from "@turnproof/memory";

const dimensions = 256;
/** How many places of a vector one feature touches. */
const placesOfFeature = 8;
const lettersWeight = 0.35;

/** Words by their stem: plural and the commonest endings go. */
function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length < 5 ? word : word.replace(/(ing|ed|es|s)$/, "")));
}

function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function add(vector: number[], feature: string, weight: number): void {
  for (let place = 0; place < placesOfFeature; place += 1) {
    const hash = hashOf(feature, place * 0x9e3779b1);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + ((hash >>> 9) & 1 ? weight : -weight);
  }
}

/** The topics of each stem, and its weight: what stands in many lines weighs little. */
function trained(): ReadonlyMap<string, readonly number[]> {
  const file = new URL("data/thesaurus.txt", import.meta.url);
  const topics = new Map<string, number[]>();
  for (const [line, words] of readFileSync(file, "utf8").trim().split("\n").entries()) {
    for (const stem of new Set(stemsOf(words))) {
      topics.set(stem, [...(topics.get(stem) ?? []), line]);
    }
  }
  return topics;
}

/** The embedder; deterministic and offline. */
export function topicEmbedder(): Embedder {
  const topics = trained();
  const vectorOf = (text: string): number[] => {
    const vector = Array.from({ length: dimensions }, () => 0);
    for (const stem of stemsOf(text)) {
      const lines = topics.get(stem) ?? [];
      for (const line of lines) add(vector, `topic ${line}`, 1 / lines.length);
      const framed = `_${stem}_`;
      const weight = lettersWeight / Math.sqrt(stem.length);
      for (let at = 0; at + 3 <= framed.length; at += 1) {
        add(vector, framed.slice(at, at + 3), weight * Math.min(1, stem.length / 5));
      }
    }
    return vector;
  };
  return {
    provider: "turnproof-bench",
    modelId: "topics-256",
    doEmbed: async ({ values }) => ({ embeddings: values.map(vectorOf) }),
  };
}
