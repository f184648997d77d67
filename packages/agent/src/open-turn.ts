/** @module OpenTurn: opens the turn of one call of an agent, and records its failure. */
import { checkedIdentity, Turn } from "@turnproof/instrumentation";
import type { EvidenceSink, TurnIdentity } from "@turnproof/instrumentation";
import { randomId } from "@turnproof/semconv";

import { errorTypeOf } from "./admissible.ts";
import type { RunOptions } from "./agent-options.ts";
import type { AgentParts } from "./parts.ts";
import { definedFields } from "./defined-fields.ts";
import { idOf } from "./id-of.ts";
import { keepCutTurn } from "./kept-turn.ts";
import { ToolBudget } from "./tool-router.ts";
import type { RunEvent, RunEventBody } from "./turn-events.ts";
import type { TurnState } from "./turn-state.ts";

/** Receives each event of a turn, in order. */
export type Listener = (event: RunEvent) => Promise<void>;

/** One call of an agent. */
interface AgentCall {
  readonly query: string;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
  readonly listener: Listener | undefined;
}

/** Opens the turn of a call: its identity, its span, and its state. */
export function openTurn(
  parts: AgentParts,
  sink: EvidenceSink,
  { query, options, signal, listener }: AgentCall,
): TurnState {
  const { options: own, agentId } = parts;
  // Memory uses this identity; a refused identity throws before anything is read or written.
  const identity = checkedIdentity({
    agentId,
    runId: options.runId ?? randomId(),
    turnId: options.turnId ?? randomId(),
    userId: idOf(options.userId, "userId") ?? null,
    memoryId: idOf(options.memoryId, "memoryId") ?? own.memoryId ?? agentId,
    threadId: idOf(options.threadId, "threadId") ?? `thread_${crypto.randomUUID()}`,
    ...definedFields({ applicationId: own.applicationId }),
  });
  const turn = new Turn({
    ...identity,
    sink,
    ...definedFields({
      agentName: own.name,
      coverageProfile: own.coverageProfile,
      strict: own.strict,
      fingerprint: own.fingerprint,
    }),
  });
  return {
    owner: parts,
    turn,
    traceContext: turn.traceContext,
    place: { ...placeOf(turn.traceContext.identity), turn },
    query,
    options,
    budget: new ToolBudget(own.routing?.callsMax),
    signal,
    written: { conversation: 0, toolLog: 0, workflowSteps: 0, summaries: 0, cache: false },
    sharedLimits: new Set(),
    called: [],
    running: new Set(),
    streamed: { text: "" },
    emit: emitter(options, listener),
  };
}

/** Memory uses the same form of a keyed id as evidence (vocabulary: Identity). */
function placeOf(identity: TurnIdentity): Omit<TurnState["place"], "turn"> {
  const { userId, agentId, memoryId, threadId } = identity;
  return { userId: userId ?? null, agentId, memoryId: memoryId ?? agentId, threadId };
}

/** Numbers events and awaits each listener; a listener that throws does not affect the turn. */
function emitter(
  options: RunOptions,
  listener: Listener | undefined,
): (event: RunEventBody) => Promise<void> {
  let seq = 0;
  return async (body) => {
    seq += 1;
    const event: RunEvent = { ...body, seq };
    try {
      await options.eventCallback?.(event);
    } catch {
      // A listener's failure must not change the outcome of a turn.
    }
    await listener?.(event);
  };
}

/** Records the failed turn and emits its end, with the error's class, never its text. */
export async function failTurn(parts: AgentParts, state: TurnState, error: unknown): Promise<void> {
  const cancelled = state.signal.aborted;
  await keepCutTurn(parts, state, cancelled ? "cancelled" : "error");
  const errorType = cancelled ? "cancelled" : errorTypeOf(error);
  // The caller must receive the original failure, even when recording it fails.
  await (cancelled ? state.turn.partial() : state.turn.fail(errorType)).catch(() => undefined);
  const status = cancelled ? "cancelled" : "error";
  await state.emit({ type: "run.done", status, errorType, persisted: { ...state.written } });
}
