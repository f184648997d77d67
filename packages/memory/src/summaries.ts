/** @module Summaries: shortened conversation with the ids of its sources. */
import { CodedError } from "@turnproof/semconv";
import type { IdentityOptions } from "@turnproof/semconv";
import type { MemoryRecord, MemoryStore } from "@turnproof/store";

import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** A summary and the ids of the rows that it covers. */
export interface Summary {
  readonly id: string;
  readonly text: string;
  readonly sourceIds: readonly string[];
  readonly threadId: IdentityOptions["threadId"] | undefined;
  readonly at: string;
}

/** Scope levels that summary rows have. */
const summaryLevels: readonly Level[] = ["agentId", "memoryId", "threadId"];

/** A stored row as a summary. */
function summaryOf(row: MemoryRecord): Summary {
  const ids = row.data["source_ids"];
  return {
    id: row.id,
    text: row.text ?? "",
    sourceIds: Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [],
    threadId: row.thread_id,
    at: row.created_at,
  };
}

/** Summary memory. */
export class Summaries {
  readonly #store: WatchedStore;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
  }

  /**
   * Stores a summary.
   * @throws CodedError content_source_missing when it names no source
   */
  async write(
    place: MemoryPlace,
    summary: { readonly text: string; readonly sourceIds: readonly string[]; readonly id?: string },
  ): Promise<Summary> {
    if (summary.sourceIds.length === 0) throw new CodedError("content_source_missing");
    const [embedding] = (await this.#store.embed([summary.text])) ?? [];
    const row = await this.#store.put(place, summaryLevels, "summary", {
      id: summary.id ?? `sum_${crypto.randomUUID()}`,
      text: summary.text,
      created_at: this.#store.now(),
      data: {
        source_ids: [...summary.sourceIds],
        ...(embedding === undefined ? {} : { embedding_model: this.#store.embeddingModel }),
      },
      ...(embedding === undefined ? {} : { embedding }),
    });
    return summaryOf(row);
  }

  /** The newest summary of the place's own thread, or undefined. */
  async latest(place: MemoryPlace): Promise<Summary | undefined> {
    if (place.threadId === undefined) return undefined;
    const [newest] = await this.list(place, 1);
    return newest;
  }

  /** The newest summaries of the place, newest first. */
  async list(place: MemoryPlace, limit = 20): Promise<readonly Summary[]> {
    const rows = await this.#store.list(place, summaryLevels, "summary", limit);
    return rows.map(summaryOf);
  }
}
