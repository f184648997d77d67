/**
 * @module TurnState: everything that belongs to one turn, so that one agent serves concurrent users
 * without a field that they would share (requirements: Scope hierarchy).
 */
import type { TraceContext, Turn } from "@turnproof/instrumentation";
import type { MemoryPlace } from "@turnproof/memory";

import type { RunOptions } from "./agent-options.ts";
import type { CalledTool } from "./run-result.ts";
import type { ToolBudget } from "./tool-router.ts";
import type { TurnEventBody } from "./turn-events.ts";

/** Counters of what a turn wrote; read when it is done. */
export interface WriteCounts {
  conversation: number;
  toolLog: number;
  workflowSteps: number;
  summaries: number;
  cache: boolean;
  error?: string;
}

/** One turn while it runs. */
export interface TurnState {
  /** The agent whose turn this is: a tool of one agent may run another. */
  readonly owner: object;
  readonly turn: Turn;
  readonly traceContext: TraceContext;
  /** Tenant, agent, memory and thread, with the turn as the witness. */
  readonly place: MemoryPlace & {
    readonly userId: string | null;
    readonly agentId: string;
    readonly memoryId: string;
    readonly threadId: string;
  };
  readonly query: string;
  readonly options: RunOptions;
  readonly budget: ToolBudget;
  readonly signal: AbortSignal;
  readonly written: WriteCounts;
  /** Why operators' rows may be missing: `memory_search_bounded`, `embedder_failed`. */
  readonly sharedLimits: Set<string>;
  readonly called: CalledTool[];
  /** Names of the calls under way: of one that is cut nobody knows what it did. */
  readonly running: Set<{ readonly toolName: string }>;
  /** What the model has said so far, as far as it was passed on. */
  readonly spoken: { text: string };
  /** Numbers an event and hands it to whoever listens to this call. */
  readonly emit: (event: TurnEventBody) => Promise<void>;
}
