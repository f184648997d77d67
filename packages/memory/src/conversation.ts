/** @module Conversation: the messages of a thread, and how much of them a turn may see. */
import type { MemoryDraft, MemoryRecord, MemoryStore } from "@turnproof/store";

import { required } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** A message as it is said. */
export interface MessageDraft {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly turnId?: string;
  /** False for the words of a turn that was cut short; such a message is no history. */
  readonly complete?: boolean;
}

/** A message as it is stored. */
export interface Message extends Required<Omit<MessageDraft, "turnId">> {
  readonly id: string;
  readonly turnId: string | undefined;
  readonly threadId: string | undefined;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** How much history: newest messages and characters at most. */
export interface HistoryOptions {
  /** Default 20. */
  readonly messagesMax?: number;
  /** Default 8,000. */
  readonly charsMax?: number;
}

/** Levels that conversation rows know. */
const conversationLevels: readonly Level[] = ["agentId", "memoryId", "threadId"];

/** A stored row as a message. */
export function messageOf(row: MemoryRecord): Message {
  const turnId = row.data["turn_id"];
  return {
    id: row.id,
    role: row.data["role"] === "assistant" ? "assistant" : "user",
    text: row.text ?? "",
    complete: row.data["complete"] !== false,
    turnId: typeof turnId === "string" ? turnId : undefined,
    threadId: row.thread_id,
    at: row.created_at,
  };
}

/** Conversation memory. */
export class Conversation {
  readonly #store: WatchedStore;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
  }

  /**
   * Appends messages to the place's thread, in this order; resolves with them once they are
   * durable. @throws CodedError identity_missing without a thread
   */
  async append(place: MemoryPlace, messages: readonly MessageDraft[]): Promise<readonly Message[]> {
    required(place, "threadId");
    const vectors = await this.#store.embed(messages.map(({ text }) => text));
    const written: Message[] = [];
    for (const [i, message] of messages.entries()) {
      const embedding = vectors?.[i];
      const draft: MemoryDraft = {
        id: `msg_${crypto.randomUUID()}`,
        text: message.text,
        created_at: this.#store.now(),
        data: {
          role: message.role,
          // A message without words is nothing that was said; a model refuses it as history.
          complete: (message.complete ?? true) && message.text !== "",
          ...(message.turnId === undefined ? {} : { turn_id: message.turnId }),
          ...(embedding === undefined ? {} : { embedding_model: this.#store.embeddingModel }),
        },
        ...(embedding === undefined ? {} : { embedding }),
      };
      const row = await this.#store.put(place, conversationLevels, "conversation", draft);
      written.push(messageOf(row));
    }
    return written;
  }

  /**
   * The end of the place's thread, oldest first, within the bounds; incomplete messages are left
   * out. @throws CodedError identity_missing without a thread
   */
  async history(place: MemoryPlace, options: HistoryOptions = {}): Promise<readonly Message[]> {
    required(place, "threadId");
    const { messagesMax = 20, charsMax = 8_000 } = options;
    if (messagesMax < 1) return [];
    const rows = await this.#store.list(place, conversationLevels, "conversation", messagesMax);
    const kept: Message[] = [];
    let chars = 0;
    for (const message of rows.map(messageOf)) {
      if (!message.complete) continue;
      chars += message.text.length;
      if (chars > charsMax) break;
      kept.unshift(message);
    }
    return kept;
  }
}
