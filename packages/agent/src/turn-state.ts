/**
 * @module TurnState: all state of one turn, so that one agent serves concurrent users without
 * shared fields (requirements: Scope hierarchy).
 */
import type { TraceContext, Turn } from "@turnproof/instrumentation";
import type { MemoryPlace } from "@turnproof/memory";
import type { IdentityOptions } from "@turnproof/semconv";

import type { RunOptions } from "./agent-options.ts";
import type { CalledTool } from "./run-result.ts";
import type { ToolBudget } from "./tool-router.ts";
import type { RunEventBody } from "./turn-events.ts";

/** Counters of what a turn wrote; read at its end. */
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
  /** The agent of this turn: a tool of one agent may run another. */
  readonly owner: object;
  readonly turn: Turn;
  readonly traceContext: TraceContext;
  /** Tenant, agent, memory and thread, with the turn that records its reads. */
  readonly place: MemoryPlace &
    Pick<IdentityOptions, "userId" | "agentId" | "memoryId" | "threadId">;
  readonly query: string;
  readonly options: RunOptions;
  readonly budget: ToolBudget;
  readonly signal: AbortSignal;
  readonly written: WriteCounts;
  /** Why operators' rows may be missing: `memory_search_bounded`, `embedder_failed`. */
  readonly sharedLimits: Set<string>;
  readonly called: CalledTool[];
  /** Names of the calls in progress: when the turn is cut, their effects are unknown. */
  readonly running: Set<{ readonly toolName: string }>;
  /** The model's text so far, as far as it was passed on. */
  readonly streamed: { text: string };
  /** Numbers an event and passes it to the listeners of this call. */
  readonly emit: (event: RunEventBody) => Promise<void>;
}
