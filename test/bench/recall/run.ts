/**
 * @module Recall bench: `node -C @turnproof/source test/bench/recall/run.ts` prints the table of
 * the memory package's README: hit rate at 1, 3 and 5 by words, by vectors and by both, with what a
 * turn pays for it. In this process and on PGlite.
 */
import { lexicalEmbedder } from "@turnproof/memory";
import type { Embedder } from "@turnproof/memory";
import { ephemeralMemory, postgres } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";

import { filled, measure, modes, questions } from "./recall.ts";
import { topicEmbedder } from "./topic-embedder.ts";

const percent = (share: number): string => `${Math.round(share * 100)} %`;

async function table(title: string, store: MemoryStore, embedder: Embedder): Promise<void> {
  const memory = await filled(store, embedder);
  console.log(`${title}, ${memory.names.size} rows, ${questions().length} questions\n`);
  console.log("| | at 1 | at 3 | at 5 | paraphrase | identifier | mixed | p50, p95 ms | tokens |");
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const mode of modes) {
    await measure(memory, mode);
    const { hitRate, firstByKind, p50, p95, tokens } = await measure(memory, mode);
    const shares = [...Object.values(hitRate), ...Object.values(firstByKind)].map(percent);
    const time = `${p50.toFixed(1)}, ${p95.toFixed(1)}`;
    console.log(`| ${[mode, ...shares, time, Math.round(tokens)].join(" | ")} |`);
  }
  console.log();
}

await table("Topic embedder, in this process", ephemeralMemory(), topicEmbedder());
await table("The lexical default, in this process", ephemeralMemory(), lexicalEmbedder());
const embedded = await postgres({ path: "memory://" });
await table("Topic embedder, PGlite", embedded.memory, topicEmbedder());
await embedded.close();
