/**
 * @module Search of the test server: indexes with the states that a real one goes through, and
 * `$vectorSearch` under the rules of the documentation: an index of another name finds nothing, one
 * that is not queryable, of other dimensions or without a filtered field is an error.
 */
import { CommandError } from "./mongo-error.ts";
import { matcher } from "./mongo-match.ts";
import type { Doc } from "./mongo-wire.ts";

/** A search index and how far it is. */
export interface SearchIndex {
  readonly name: string;
  readonly type: string;
  readonly fields: readonly Doc[];
  /** Of the documentation: PENDING, BUILDING, READY, STALE, FAILED, DELETING. */
  readonly status: string;
  readonly queryable: boolean;
}

/** What the stage finds in an index: documents as its filter and vectors see them. */
export function vectorStage(
  index: SearchIndex | undefined,
  documents: readonly Doc[],
  stage: Doc,
): Doc[] {
  if (index === undefined) return [];
  if (!index.queryable) {
    const stated = `cannot query search index ${index.name} while in state ${index.status}`;
    throw new CommandError(8, "UnknownError", stated);
  }
  const path = String(stage["path"]);
  const query = stage["queryVector"] as number[];
  const vector = index.fields.find((field) => field["type"] === "vector" && field["path"] === path);
  if (vector === undefined) {
    throw new CommandError(8, "UnknownError", `${path} is not indexed as vector`);
  }
  const dimensions = Number(vector["numDimensions"]);
  if (dimensions !== query.length) {
    const stated = `vector field is indexed with ${dimensions} dimensions but queried with ${query.length}`;
    throw new CommandError(8, "UnknownError", stated);
  }
  const length = Math.hypot(...query);
  if (length === 0 && vector["similarity"] === "cosine") {
    const stated = "Cosine similarity cannot be calculated against a zero vector.";
    throw new CommandError(8, "UnknownError", stated);
  }
  const filter = (stage["filter"] ?? {}) as Doc;
  for (const field of fieldsOf(filter)) {
    if (!index.fields.some(({ type, path: own }) => type === "filter" && own === field)) {
      throw new CommandError(8, "UnknownError", `Path '${field}' needs to be indexed as filter`);
    }
  }
  const test = matcher(filter);
  const scored = documents.flatMap((document) => {
    const own = document[path];
    // A vector of another length is not in the index.
    if (!Array.isArray(own) || own.length !== dimensions || !test(document)) return [];
    const dot = own.reduce((sum: number, value, at) => sum + Number(value) * (query[at] ?? 0), 0);
    return [{ document, score: dot / (Math.hypot(...(own as number[])) * length || 1) }];
  });
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, Number(stage["limit"])).map(({ document }) => document);
}

function fieldsOf(filter: Doc): readonly string[] {
  return Object.entries(filter).flatMap(([name, value]) =>
    name.startsWith("$") ? (value as Doc[]).flatMap(fieldsOf) : [name],
  );
}

/** What `$listSearchIndexes` returns of an index. */
export function listed({ name, type, fields, status, queryable }: SearchIndex): Doc {
  return { id: `id-${name}`, name, type, status, queryable, latestDefinition: { fields } };
}
