/** @module WorkflowMemory: the steps of turns in order: tool and outcome. */
import type { IdentityOptions, ToolOutcome } from "@turnproof/semconv";
import { toolOutcomes } from "@turnproof/semconv";
import type { MemoryRecord, MemoryStore } from "@turnproof/store";

import type { Level, MemoryPlace } from "./place.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";

/** One step of a turn. */
export interface WorkflowStep extends Pick<IdentityOptions, "turnId"> {
  /** From 1, within the turn. */
  readonly ordinal: number;
  readonly toolName: string;
  readonly outcome: ToolOutcome;
  readonly threadId: IdentityOptions["threadId"] | undefined;
  readonly at: string;
}

const levels: readonly Level[] = ["agentId", "memoryId", "threadId"];

function stepOf(row: MemoryRecord): WorkflowStep {
  const { turn_id, ordinal, tool_name, outcome } = row.data;
  return {
    turnId: typeof turn_id === "string" ? turn_id : "",
    ordinal: typeof ordinal === "number" ? ordinal : 0,
    toolName: typeof tool_name === "string" ? tool_name : "",
    outcome: toolOutcomes.find((known) => known === outcome) ?? "error",
    threadId: row.thread_id,
    at: row.created_at,
  };
}

/** Workflow memory. */
export class WorkflowMemory {
  readonly #store: WatchedStore;

  constructor(store: MemoryStore | WatchedStore, options?: MemoryOptions) {
    this.#store = watched(store, options);
  }

  /** Stores a step; replaces the one of the same turn and ordinal. */
  async record(
    place: MemoryPlace,
    step: Pick<WorkflowStep, "turnId" | "ordinal" | "toolName" | "outcome">,
  ): Promise<void> {
    await this.#store.put(place, levels, "workflow_step", {
      id: `step_${step.turnId}_${String(step.ordinal).padStart(4, "0")}`,
      text: step.toolName,
      created_at: this.#store.now(),
      data: {
        turn_id: step.turnId,
        ordinal: step.ordinal,
        tool_name: step.toolName,
        outcome: step.outcome,
      },
    });
  }

  /** The newest steps of the place, oldest first. */
  async list(place: MemoryPlace, limit = 200): Promise<readonly WorkflowStep[]> {
    const rows = await this.#store.list(place, levels, "workflow_step", limit);
    return rows.map(stepOf).toReversed();
  }
}
