/**
 * @module VectorIndex: holds the search indexes to their filter field (requirements: Provider
 * scoping behaviour). `user_id` must be filterable in each of them; where the principal may not
 * change an index there is one diagnostic, later attempts try again, and searches stay exact.
 */
import type { ScopedKind } from "@turnproof/semconv";
import { memoryCollections, vectorKinds } from "@turnproof/semconv";
import type { Collection, Db, Document } from "mongodb";

/** What a search may use, and what it must say. */
export interface VectorIndexes {
  /** Name of a usable index, and diagnostics: the first search after a failure says it once. */
  forSearch(
    kind: ScopedKind,
  ): Promise<{ readonly index: string | undefined; readonly diagnostics: readonly string[] }>;
  /** Looks at every collection again, and changes what it may. */
  reconcile(): Promise<void>;
  /** Codes of what is wrong with the indexes, looked at again when it is time to. */
  diagnostics(): Promise<readonly string[]>;
  /** Collections whose index lacks the filter field, as of the last look. */
  unscoped(): readonly string[];
}

type State = "none" | "usable" | "unscoped";
interface Known {
  state: State;
  index: string | undefined;
  lookedAt: number;
  said: boolean;
}

/** Milliseconds until an index that could not be changed is looked at again. */
const retryMs = 60_000;

interface SearchIndex {
  readonly name: string;
  readonly type?: string;
  readonly latestDefinition?: { readonly fields?: readonly Document[] };
}

/** The indexes of one database; `mayChange` false only looks. */
export function vectorIndexes(
  database: Db,
  mayChange: boolean,
  now: () => number = Date.now,
): VectorIndexes {
  const known = new Map<ScopedKind, Known>();
  const look = async (kind: ScopedKind): Promise<Known> => {
    const before = known.get(kind);
    const found = await inspect(database.collection(memoryCollections[kind]), mayChange);
    const said = before?.state === "unscoped" && found.state === "unscoped" && before.said;
    const entry = { ...found, lookedAt: now(), said };
    known.set(kind, entry);
    return entry;
  };
  return {
    async forSearch(kind) {
      if (!vectorKinds.includes(kind)) return { index: undefined, diagnostics: [] };
      let entry = known.get(kind);
      const stale =
        entry === undefined || (entry.state !== "usable" && now() - entry.lookedAt > retryMs);
      if (entry === undefined || stale) entry = await look(kind);
      const first = entry.state === "unscoped" && !entry.said;
      entry.said ||= first;
      const index = entry.state === "usable" ? entry.index : undefined;
      return { index, diagnostics: first ? ["vector_index_unscoped"] : [] };
    },
    async diagnostics() {
      const found = [];
      for (const kind of vectorKinds) {
        const entry = known.get(kind);
        const fresh = entry !== undefined && now() - entry.lookedAt <= retryMs;
        found.push(fresh ? entry : await look(kind));
      }
      return found.some(({ state }) => state === "unscoped") ? ["vector_index_unscoped"] : [];
    },
    async reconcile() {
      for (const kind of vectorKinds) await look(kind);
    },
    unscoped: () =>
      [...known].flatMap(([kind, { state }]) =>
        state === "unscoped" ? [memoryCollections[kind]] : [],
      ),
  };
}

async function inspect(
  collection: Collection<Document>,
  mayChange: boolean,
): Promise<{ readonly state: State; readonly index: string | undefined }> {
  let index: SearchIndex | undefined;
  try {
    const indexes = (await collection.listSearchIndexes().toArray()) as unknown as SearchIndex[];
    index = indexes.find((found) => indexesEmbedding(found));
  } catch {
    // A server without search has no index to be wrong.
    return { state: "none", index: undefined };
  }
  if (index === undefined) return { state: "none", index: undefined };
  const fields = index.latestDefinition?.fields ?? [];
  if (filtersUser(fields)) return { state: "usable", index: index.name };
  if (mayChange) {
    try {
      const definition = { fields: [...fields, { type: "filter", path: "user_id" }] };
      await collection.updateSearchIndex(index.name, definition);
      return { state: "usable", index: index.name };
    } catch {
      // Said once by the next search; another attempt follows.
    }
  }
  return { state: "unscoped", index: index.name };
}

function indexesEmbedding(index: SearchIndex): boolean {
  const fields = index.latestDefinition?.fields ?? [];
  return fields.some((field) => field["type"] === "vector" && field["path"] === "embedding");
}

function filtersUser(fields: readonly Document[]): boolean {
  return fields.some((field) => field["type"] === "filter" && field["path"] === "user_id");
}
