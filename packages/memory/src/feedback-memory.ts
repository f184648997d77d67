/**
 * @module FeedbackMemory: feedback with its comment. Evidence holds only the comment's hash; the
 * text is stored here, and only with `includeComment` (requirements: Feedback).
 */
import type { IdentityOptions } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";
import type { MemoryRecord, MemoryStore } from "@turnproof/store";

import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** Feedback on a turn. */
export interface FeedbackDraft extends Pick<IdentityOptions, "turnId" | "rootTraceId"> {
  readonly rating?: number;
  readonly label?: string;
  readonly comment?: string;
  /** True: the comment is stored as text. Default: as its hash. */
  readonly includeComment?: boolean;
  readonly verified?: boolean;
  /** Recording again under the same id replaces. */
  readonly externalId?: string;
}

/** Feedback as it is stored. */
export interface StoredFeedback extends Pick<IdentityOptions, "turnId"> {
  readonly id: string;
  readonly rating: number | null;
  readonly label: string | null;
  /** The text of the comment; null when there is none or only its hash is stored. */
  readonly comment: string | null;
  readonly commentHash: string | null;
  readonly verified: boolean | null;
  readonly at: string;
}

const levels: readonly Level[] = ["agentId", "memoryId", "threadId"];

function feedbackOf(row: MemoryRecord): StoredFeedback {
  const { turn_id, rating, label, comment_hash, verified } = row.data;
  return {
    id: row.id,
    turnId: typeof turn_id === "string" ? turn_id : "",
    rating: typeof rating === "number" ? rating : null,
    label: typeof label === "string" ? label : null,
    comment: row.text ?? null,
    commentHash: typeof comment_hash === "string" ? comment_hash : null,
    verified: typeof verified === "boolean" ? verified : null,
    at: row.created_at,
  };
}

/** Feedback memory. */
export class FeedbackMemory {
  readonly #store: WatchedStore;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
  }

  /** Stores feedback inside the place. */
  async record(place: MemoryPlace, feedback: FeedbackDraft): Promise<StoredFeedback> {
    const { comment, externalId } = feedback;
    const named = JSON.stringify([feedback.rootTraceId, feedback.turnId, externalId]);
    const id =
      externalId === undefined
        ? `fb_${crypto.randomUUID()}`
        : `fb_${contentFingerprint(named).slice(7, 47)}`;
    const row = await this.#store.put(place, levels, "feedback", {
      id,
      created_at: this.#store.now(),
      data: {
        turn_id: feedback.turnId,
        root_trace_id: feedback.rootTraceId,
        rating: feedback.rating ?? null,
        label: feedback.label ?? null,
        verified: feedback.verified ?? null,
        comment_hash: comment === undefined ? null : this.#store.fingerprint(comment),
      },
      ...(comment !== undefined && feedback.includeComment === true ? { text: comment } : {}),
    });
    return feedbackOf(row);
  }

  /** The newest feedback of the place, newest first. */
  async list(place: MemoryPlace, limit = 100): Promise<readonly StoredFeedback[]> {
    const rows = await this.#store.list(place, levels, "feedback", limit);
    return rows.map(feedbackOf);
  }
}
