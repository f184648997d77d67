/** @module Conversation: the messages of a thread, and how many of them a turn reads. */
import type { IdentityOptions } from "@turnproof/semconv";
import type { MemoryDraft, MemoryRecord, MemoryStore } from "@turnproof/store";

import { required } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** A message before it is stored. */
export interface MessageDraft {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly turnId?: IdentityOptions["turnId"];
  /**
   * False for messages of a turn that was cut short; without `cut` they are left out of history.
   */
  readonly complete?: boolean;
  /** How a turn without an answer ended; its messages stay in history with this note. */
  readonly cut?: CutTurn;
}

/** A turn that ended before its answer. */
export interface CutTurn {
  readonly status: "error" | "cancelled";
  /** Tools that had run by then, each with its outcome, because their effects remain. */
  readonly tools: readonly { readonly name: string; readonly outcome: string }[];
}

/** A message as it is stored. */
export interface Message extends Required<Omit<MessageDraft, "turnId" | "cut">> {
  readonly id: string;
  /** Present on messages of a turn that ended without an answer. */
  readonly cut?: CutTurn;
  readonly turnId: IdentityOptions["turnId"] | undefined;
  readonly threadId: IdentityOptions["threadId"] | undefined;
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

/** Scope levels that conversation rows have. */
const conversationLevels: readonly Level[] = ["agentId", "memoryId", "threadId"];

/** A stored row as a message. */
export function messageOf(row: MemoryRecord): Message {
  const turnId = row.data["turn_id"];
  return {
    id: row.id,
    role: row.data["role"] === "assistant" ? "assistant" : "user",
    text: row.text ?? "",
    complete: row.data["complete"] !== false,
    ...cutOf(row),
    turnId: typeof turnId === "string" ? turnId : undefined,
    threadId: row.thread_id,
    at: row.created_at,
  };
}

function cutOf({ data }: MemoryRecord): Pick<Message, "cut"> {
  const status = data["turn_status"];
  if (status !== "error" && status !== "cancelled") return {};
  const listed: unknown = data["turn_tools"];
  const tools = (Array.isArray(listed) ? (listed as readonly unknown[]) : []).flatMap((entry) => {
    const [name, outcome] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    return typeof name === "string" && typeof outcome === "string" ? [{ name, outcome }] : [];
  });
  return { cut: { status, tools } };
}

/** Conversation memory. */
export class Conversation {
  readonly #store: WatchedStore;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
  }

  /**
   * Appends messages to the place's thread, in this order; resolves once they are durable. Calls
   * `onKept` as each becomes durable: a later failure does not undo earlier messages.
   * @throws CodedError identity_missing without a thread
   */
  async append(
    place: MemoryPlace,
    messages: readonly MessageDraft[],
    onKept?: (message: Message) => void,
  ): Promise<readonly Message[]> {
    required(place, "threadId");
    // Cut messages are never recalled in other threads, so the end of a turn does not wait for
    // vectors.
    const whole = messages.filter(({ cut }) => cut === undefined);
    const vectors =
      whole.length === 0 ? [] : await this.#store.embed(whole.map(({ text }) => text));
    const written: Message[] = [];
    for (const message of messages) {
      const embedding = vectors?.[whole.indexOf(message)];
      const draft: MemoryDraft = {
        id: `msg_${crypto.randomUUID()}`,
        text: message.text,
        created_at: this.#store.now(),
        data: {
          role: message.role,
          // An empty message has no content, and models reject it in a history.
          complete: (message.complete ?? true) && message.text !== "" && message.cut === undefined,
          ...(message.cut === undefined
            ? {}
            : {
                turn_status: message.cut.status,
                turn_tools: message.cut.tools.map(({ name, outcome }) => [name, outcome]),
              }),
          ...(message.turnId === undefined ? {} : { turn_id: message.turnId }),
          ...(embedding === undefined ? {} : { embedding_model: this.#store.embeddingModel }),
        },
        ...(embedding === undefined ? {} : { embedding }),
      };
      const row = await this.#store.put(place, conversationLevels, "conversation", draft);
      const kept = messageOf(row);
      written.push(kept);
      onKept?.(kept);
    }
    return written;
  }

  /**
   * The newest messages of the place's thread, oldest first, within the bounds. Incomplete
   * messages are left out, except those of a turn that records how it was cut short. Without an
   * agent only messages stored without an agent id are read, so histories of two agents never mix.
   * @throws CodedError identity_missing without a thread
   */
  async history(place: MemoryPlace, options: HistoryOptions = {}): Promise<readonly Message[]> {
    required(place, "threadId");
    const { messagesMax = 20, charsMax = 8_000 } = options;
    if (messagesMax < 1) return [];
    const rows = await this.#store.list(place, conversationLevels, "conversation", messagesMax, [
      "agentId",
    ]);
    const kept: Message[] = [];
    let chars = 0;
    for (const message of rows.map(messageOf)) {
      if (!message.complete && (message.cut === undefined || message.text === "")) continue;
      chars += message.text.length;
      if (chars > charsMax) break;
      kept.unshift(message);
    }
    return kept;
  }
}
