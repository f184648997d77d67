/**
 * @module RequestFingerprint: everything besides the question on which an answer depends. Two
 * requests may share a cached answer only when this is equal (design 7: Semantic cache).
 */
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

/** A row that retrieval found, and the text that it would put into a context. */
export interface RecalledRow {
  readonly source: "cross_thread" | "summary" | "entity";
  readonly id: string;
  readonly text: string;
}

/** Rows that were placed in the context, and all that were looked at. */
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
  /** Version of the data behind the tools and instructions, as the host says it. */
  readonly dataVersion?: string | undefined;
  /** The model-visible context of the request. */
  readonly context?: unknown;
  /** What memory would place in the context whatever is asked: profile, preferences, samples. */
  readonly standing?: readonly string[] | undefined;
  /**
   * What retrieval found for this question. It differs from asking to asking, so it is no part of
   * the fingerprint: the cache compares it with what its answer rested on.
   */
  readonly recalled?: Recalled | undefined;
}

/** A JSON text in which the order of keys says nothing. */
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
