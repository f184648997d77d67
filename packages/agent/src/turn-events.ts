/**
 * @module TurnEvents: the events that a turn emits while it runs (requirements: Scope
 * hierarchy).
 */
import type { IdentityOptions, ToolOutcome } from "@turnproof/semconv";

import type { RunResult, RunStatus, TokenUsage } from "./run-result.ts";
import type { Persisted } from "./run-result.ts";

/** Stage of a turn. */
export type TurnStage = "memory" | "cache" | "model" | "tools" | "persisting";

/** Any event, before it is numbered. */
export type RunEventBody =
  | ({ readonly type: "run.started" } & Pick<
      IdentityOptions,
      "runId" | "turnId" | "threadId" | "rootTraceId"
    >)
  | { readonly type: "status"; readonly stage: TurnStage }
  | { readonly type: "answer.delta"; readonly text: string }
  | { readonly type: "tool.started"; readonly callId: string; readonly toolName: string }
  | {
      readonly type: "tool.completed";
      readonly callId: string;
      readonly toolName: string;
      readonly outcome: ToolOutcome;
      /** The outcome in words for people. */
      readonly badge: string;
    }
  | { readonly type: "usage"; readonly iteration: number; readonly usage: TokenUsage }
  | { readonly type: "answer.done"; readonly text: string }
  | {
      readonly type: "run.done";
      readonly status: RunStatus;
      readonly persisted: Persisted;
      /** Class or code of the error, never its text. */
      readonly errorType?: string;
      /** The whole result, when the turn has one. */
      readonly result?: RunResult;
    };

/** An event of one turn; `seq` counts from 1 without a gap. */
export type RunEvent = RunEventBody & { readonly seq: number };

/** Receives the events of one call, in order, each awaited before the next. */
export type EventCallback = (event: RunEvent) => void | Promise<void>;
