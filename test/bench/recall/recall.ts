/**
 * @module Recall: how often retrieval places the row that answers a question, by words, by vectors
 * and by both, on the committed rows and questions. One user's memory as an agent's turn meets it:
 * what is measured is `assembleContext` with the product's own bounds.
 */
import { readFileSync } from "node:fs";

import { Memory } from "@turnproof/memory";
import type { Embedder, RetrievalMode } from "@turnproof/memory";
import type { MemoryStore } from "@turnproof/store";

/** A question, what kind it is, and the rows that answer it. */
export interface Question {
  readonly kind: string;
  readonly text: string;
  readonly answers: readonly string[];
}

/** What was measured of one mode. */
export interface Measured {
  /** Share of questions whose answer is among the first 1, 3 and 5 that were placed. */
  readonly hitRate: Readonly<Record<1 | 3 | 5, number>>;
  /** The mean of these three. */
  readonly mean: number;
  /** Hit rate at 1 of each kind of question. */
  readonly firstByKind: Readonly<Record<string, number>>;
  /** Milliseconds of one `assembleContext`. */
  readonly p50: number;
  readonly p95: number;
  /** Tokens that memory adds to a prompt, at four characters each, in the mean. */
  readonly tokens: number;
}

export const modes: readonly RetrievalMode[] = ["lexical", "vector", "hybrid"];
const place = { userId: "user_1", agentId: "desk", memoryId: "shop" };

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), "utf8")) as T;
}

/** The committed questions. */
export function questions(): readonly Question[] {
  const rows = read<readonly [string, string, readonly string[]][]>("questions");
  return rows.map(([kind, text, answers]) => ({ kind, text, answers }));
}

/** Memory of the committed rows on an empty store; the names of the rows by their ids. */
export async function filled(
  store: MemoryStore,
  embedder: Embedder,
): Promise<{ readonly memory: Memory; readonly names: ReadonlyMap<string, string> }> {
  const memory = new Memory(store, { embedder });
  const names = new Map<string, string>();
  for (const [name, kind, text] of read<readonly [string, string, string][]>("memories")) {
    const at = { ...place, threadId: `thread_${name}` };
    if (kind === "message") {
      const [message] = await memory.conversation.append(at, [{ role: "user", text }]);
      names.set(message?.id ?? "", name);
    } else if (kind === "summary") {
      names.set((await memory.summaries.write(at, { text, sourceIds: ["x"] })).id, name);
    } else names.set((await memory.entities.remember(at, { name: `fact ${name}`, text })).id, name);
  }
  return { memory, names };
}

/** Recalls every question in one mode. */
export async function measure(
  { memory, names }: Awaited<ReturnType<typeof filled>>,
  mode: RetrievalMode,
): Promise<Measured> {
  const ranks: { readonly kind: string; readonly rank: number }[] = [];
  const times: number[] = [];
  let characters = 0;
  for (const { kind, text, answers } of questions()) {
    const at = { ...place, threadId: "now" };
    const begun = performance.now();
    const context = await memory.assembleContext(at, { text }, { retrieval: { mode } });
    times.push(performance.now() - begun);
    characters += context.text.length;
    const placed = context.recalled.selected.map(({ id }) => names.get(id) ?? "");
    const rank = placed.findIndex((name) => answers.includes(name)) + 1;
    ranks.push({ kind, rank: rank === 0 ? Infinity : rank });
  }
  const share = (of: typeof ranks, k: number): number =>
    of.filter(({ rank }) => rank <= k).length / of.length;
  const hitRate = { 1: share(ranks, 1), 3: share(ranks, 3), 5: share(ranks, 5) };
  const kinds = Object.entries(Object.groupBy(ranks, ({ kind }) => kind));
  times.sort((a, b) => a - b);
  return {
    hitRate,
    mean: (hitRate[1] + hitRate[3] + hitRate[5]) / 3,
    firstByKind: Object.fromEntries(kinds.map(([kind, of]) => [kind, share(of ?? [], 1)])),
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p95: times[Math.floor(times.length * 0.95)] ?? 0,
    tokens: characters / 4 / ranks.length,
  };
}
