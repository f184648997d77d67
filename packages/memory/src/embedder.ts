/**
 * @module Embedder: text to vectors. Matches the AI SDK's EmbeddingModel interface structurally,
 * so this package needs no model library. The default is lexical and works offline: it compares
 * spelling, not meaning, and its name and `lexical` flag state this.
 */
import { wordsOf } from "./words.ts";

/** The part of an AI SDK embedding model that is used. */
export interface Embedder {
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall?: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: {
    values: string[];
    abortSignal?: AbortSignal;
  }): PromiseLike<{ readonly embeddings: number[][] }>;
}

/** The offline embedder. */
export interface LexicalEmbedder extends Embedder {
  /** True: similarity is of spelling only. */
  readonly lexical: true;
}

const dimensions = 512;

/** FNV-1a over UTF-16 units. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** Signed hashing: two features that collide cancel out as often as they add up. */
function add(vector: number[], feature: string, weight: number): void {
  const at = hashOf(feature, 0) % dimensions;
  const sign = (hashOf(feature, 0x9e3779b9) & 1) === 0 ? 1 : -1;
  vector[at] = (vector[at] as number) + sign * weight;
}

function lexicalVector(text: string): number[] {
  const counts = new Map<string, number>();
  const count = (feature: string): void => {
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
  };
  for (const word of wordsOf(text)) {
    count(`w:${word}`);
    const framed = `_${word}_`;
    for (let at = 0; at + 3 <= framed.length; at += 1) count(`g:${framed.slice(at, at + 3)}`);
  }
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const [feature, times] of counts) {
    // Longer words weigh more than "the"; repetition weighs less each time.
    const weight = feature.startsWith("w:") ? Math.min(2, feature.length / 4) : 0.5;
    add(vector, feature, weight * (1 + Math.log(times)));
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Hashed words and letter trigrams: deterministic, offline, with no notion of meaning. */
export function lexicalEmbedder(): LexicalEmbedder {
  return {
    lexical: true,
    provider: "turnproof",
    modelId: "lexical-ngrams-512",
    doEmbed: async ({ values }) => ({ embeddings: values.map(lexicalVector) }),
  };
}

/** Name under which vectors are stored; vectors of different models are never compared. */
export function embedderName(embedder: Embedder): string {
  return `${embedder.provider}/${embedder.modelId}`;
}

/** Vectors of texts, in batches of the size that the model accepts. */
export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<readonly number[][]> {
  const size = (await embedder.maxEmbeddingsPerCall) ?? texts.length;
  const vectors: number[][] = [];
  for (let at = 0; at < texts.length; at += Math.max(1, size)) {
    const values = texts.slice(at, at + Math.max(1, size));
    const { embeddings } = await embedder.doEmbed({
      values,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    vectors.push(...embeddings);
  }
  return vectors;
}
