/**
 * @module ToolLog: inputs and results of tools. They are content: stored in memory under their
 * tenant, never recorded as evidence.
 */
import { toolOutcomes } from "@turnproof/semconv";
import type { IdentityOptions, ToolOutcome } from "@turnproof/semconv";
import type { Json, MemoryRecord, MemoryStore } from "@turnproof/store";

import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** One logged call. */
export interface LoggedCall extends Pick<IdentityOptions, "turnId"> {
  readonly callId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly result: Json;
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

const levels: readonly Level[] = ["agentId", "memoryId", "threadId"];

function callOf(row: MemoryRecord): LoggedCall {
  const { data } = row;
  const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
  return {
    turnId: text(data["turn_id"]),
    callId: text(data["tool_call_id"]),
    toolName: text(data["tool_name"]),
    input: data["input"] ?? null,
    result: data["result"] ?? null,
    outcome: toolOutcomes.find((known) => known === data["outcome"]) ?? "error",
    durationMs: typeof data["duration_ms"] === "number" ? data["duration_ms"] : 0,
  };
}

/** Tool log. */
export class ToolLog {
  readonly #store: WatchedStore;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
  }

  /** Stores a call. The row has an id of its own, because a model may repeat call ids. */
  async record(place: MemoryPlace, call: LoggedCall): Promise<void> {
    await this.#store.put(place, levels, "tool_log", {
      id: `tool_${crypto.randomUUID()}`,
      created_at: this.#store.now(),
      data: {
        turn_id: call.turnId,
        tool_call_id: call.callId,
        tool_name: call.toolName,
        input: call.input,
        result: call.result,
        outcome: call.outcome,
        duration_ms: call.durationMs,
      },
    });
  }

  /** The newest calls of the place, newest first. */
  async list(place: MemoryPlace, limit = 100): Promise<readonly LoggedCall[]> {
    const rows = await this.#store.list(place, levels, "tool_log", limit);
    return rows.map(callOf);
  }
}
