/**
 * @module SearchIndex: evaluates a search index of MongoDB as `$listSearchIndexes` describes it:
 * whether `$vectorSearch` can use it, and what its definition lacks. Only a `READY` and queryable
 * index is used: one that is being rebuilt answers by its old definition, and a `STALE` one no
 * longer follows its collection (MongoDB manual: $listSearchIndexes, index statuses).
 */
import type { Collection, Document } from "mongodb";

/** Fields of a memory row that a search filters by; `user_id` is the tenant. */
const filterFields = ["user_id", "agent_id", "memory_id", "thread_id", "expires_ms"] as const;

/** Field of a memory row with its vector. */
export const vectorPath = "embedding";

/** State of an index; `none`: there is none, or the server has no search. */
export type SearchIndexState = "none" | "ready" | "unscoped" | "building" | "stale" | "failed";

/** A vector index over the embeddings of one collection. */
export interface SearchIndex {
  readonly name: string;
  readonly state: SearchIndexState;
  readonly dimensions: number;
  /** Fields by which it can filter. */
  readonly filters: ReadonlySet<string>;
  /** The definition as the server returns it. */
  readonly definition: Document;
}

/** The vector indexes over embeddings among a server's descriptions. */
export function searchIndexesOf(descriptions: readonly Document[]): readonly SearchIndex[] {
  return descriptions.flatMap((description) => {
    const definition = (description["latestDefinition"] ?? {}) as Document;
    const fields = fieldsOf(definition);
    const vector = fields.find(({ type, path }) => type === "vector" && path === vectorPath);
    if (vector === undefined) return [];
    const filters = new Set(
      fields.flatMap(({ type, path }) => (type === "filter" ? [String(path)] : [])),
    );
    const state = stateOf(description, filters);
    const dimensions = Number(vector["numDimensions"]);
    return [{ name: String(description["name"]), state, dimensions, filters, definition }];
  });
}

function stateOf(description: Document, filters: ReadonlySet<string>): SearchIndexState {
  const status = String(description["status"]);
  if (status === "FAILED") return "failed";
  if (status === "STALE") return "stale";
  if (status !== "READY" || description["queryable"] !== true) return "building";
  return filters.has("user_id") ? "ready" : "unscoped";
}

function fieldsOf(definition: Document): readonly Document[] {
  const fields: unknown = definition["fields"];
  return Array.isArray(fields) ? (fields as readonly Document[]) : [];
}

/** True when the definition lacks a field that a search filters by. */
function lacksFilters(index: SearchIndex): boolean {
  return filterFields.some((field) => !index.filters.has(field));
}

/** The definition with every filter field; everything else is unchanged. */
function withFilters(index: SearchIndex): Document {
  const missing = filterFields.filter((field) => !index.filters.has(field));
  const added = missing.map((path) => ({ type: "filter", path }));
  return { ...index.definition, fields: [...fieldsOf(index.definition), ...added] };
}

/** The definition of a new index. */
export function newDefinition(dimensions: number): Document {
  return {
    fields: [
      { type: "vector", path: vectorPath, numDimensions: dimensions, similarity: "cosine" },
      ...filterFields.map((path) => ({ type: "filter", path })),
    ],
  };
}

/** The indexes of a collection; missing filter fields are added where that is allowed. */
export async function inspect(
  collection: Collection<Document>,
  mayChange: boolean,
): Promise<readonly SearchIndex[]> {
  const read = async (): Promise<readonly SearchIndex[]> =>
    searchIndexesOf(await collection.listSearchIndexes().toArray());
  let indexes: readonly SearchIndex[];
  try {
    indexes = await read();
  } catch {
    // A server without search has no wrong index.
    return [];
  }
  if (!mayChange) return indexes;
  const lacking = indexes.filter(
    (index) => lacksFilters(index) && ["ready", "unscoped"].includes(index.state),
  );
  if (lacking.length === 0) return indexes;
  try {
    for (const index of lacking) {
      await collection.updateSearchIndex(index.name, withFilters(index));
    }
    // The server rebuilds it and reports that state.
    return await read();
  } catch {
    // The next search reports it once; another attempt follows.
    return indexes;
  }
}
