/**
 * @module RequestFingerprint: everything besides the question that an answer depends on. Two
 * requests share a cached answer only when this is equal.
 */
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

/** A row that retrieval found, and the text that it would add to a context. */
export interface RecalledRow {
  readonly source: "cross_thread" | "summary" | "entity";
  readonly id: string;
  readonly text: string;
}

/** Rows that were placed in the context, and all rows that were considered. */
export interface Recalled {
  readonly selected: readonly RecalledRow[];
  readonly considered: readonly RecalledRow[];
}

/** What an answer depends on. */
export interface CacheRequest {
  readonly query: string;
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema: unknown;
  }[];
  /** Version of the data behind the tools and instructions, set by the host. */
  readonly dataVersion?: string | undefined;
  /** The model-visible context of the request. */
  readonly context?: unknown;
  /** What memory places in the context for every question: profile, preferences, samples. */
  readonly standing?: readonly string[] | undefined;
  /**
   * What retrieval found for this question. It varies per question, so it is not part of the
   * fingerprint; the cache compares it with the rows that its answer used.
   */
  readonly recalled?: Recalled | undefined;
}

/** JSON with sorted keys, so that key order does not matter. */
export function stableText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ) ?? "null"
  );
}

/** `sha256:` over model, instructions, tool schema, data version and context. */
export function requestFingerprint(request: CacheRequest): string {
  const tools = request.tools
    .map(({ name, description, inputSchema }) => [name, description ?? null, inputSchema])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return contentFingerprint(
    stableText([
      "turnproof/cache-request/v1",
      request.model,
      request.instructions,
      tools,
      request.dataVersion ?? null,
      request.context ?? null,
      request.standing ?? [],
    ]),
  );
}
