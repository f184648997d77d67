/**
 * @module TurnState: everything that belongs to one turn, in AsyncLocalStorage, so that one agent
 * serves concurrent users without a field that they would share (requirements: Scope hierarchy).
 */
import { AsyncLocalStorage } from "node:async_hooks";

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
  readonly called: CalledTool[];
  /** Numbers an event and hands it to whoever listens to this call. */
  readonly emit: (event: TurnEventBody) => Promise<void>;
}

const storage: AsyncLocalStorage<TurnState> = new AsyncLocalStorage();

/** Runs `fn` as part of the turn. */
export function inTurn<T>(state: TurnState, fn: () => T): T {
  return storage.run(state, fn);
}

/** The turn of this agent that runs here, or undefined. */
export function currentTurn(owner: object): TurnState | undefined {
  const state = storage.getStore();
  return state?.owner === owner ? state : undefined;
}
