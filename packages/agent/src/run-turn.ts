/**
 * @module RunTurn: the steps of one turn: memory, cache, model and tools, references, storage. It
 * has no state of its own; all state is in the turn.
 */
import { recordReferenced, recordSupplied } from "@turnproof/memory";
import type { AssembledContext, CacheLookup } from "@turnproof/memory";

import type { AgentParts } from "./parts.ts";
import { instructionsOf, promptOf } from "./prompt.ts";
import { sumUsage } from "./run-result.ts";
import type { RunResult } from "./run-result.ts";
import { sharedContext } from "./shared-context.ts";
import { summarizeThread } from "./summarize-thread.ts";
import type { TurnState } from "./turn-state.ts";
import { cacheRequestOf, requestCache, admit, disabledCache, outcomeOf } from "./turn-cache.ts";
import { loop } from "./model-loop.ts";
import { keepConversation, learn } from "./kept-turn.ts";

/** Runs the turn to its result; the caller records its end. */
export async function runTurn(
  parts: AgentParts,
  state: TurnState,
  streaming: boolean,
): Promise<RunResult> {
  const { query, options, place, turn } = state;
  const provenance: unknown = options.observabilityContext;
  if (typeof provenance === "object" && provenance !== null) {
    await turn.bindContext(provenance);
  }
  await state.emit({ type: "status", stage: "memory" });
  const question = { text: query, signal: state.signal };
  const own = await parts.memory.assembleContext(place, question, parts.options.memoryPolicy);
  const tools = await parts.sharedTools.of(parts, state);
  const instructions = instructionsOf({
    instructions: parts.options.instructions,
    persona: await parts.personaInstructions(turn),
    shared: await sharedContext(parts, state, tools),
    context: options.context,
  });
  const context = limitedBy(own, state.sharedLimits);
  const request = cacheRequestOf(parts, state, context, { instructions, tools });
  const lookup = await requestCache(parts, state, context, request);
  if (lookup?.decision === "hit" && lookup.answer !== undefined) {
    return answerFromCache(state, parts, lookup, lookup.answer);
  }
  await recordSupplied(place, context);
  const first = promptOf(instructions, context, query);
  const looped = await loop(parts, state, { first, tools }, streaming);
  const supply = await recordReferenced(place, context, { text: looped.text, question: query });
  await state.emit({ type: "answer.done", text: looped.text });
  await state.emit({ type: "status", stage: "persisting" });
  // The model saw the messages of the thread, so its answer may depend on them.
  const conversational =
    parts.options.cache?.conversation !== "ignore" && context.history.length > 0;
  const given = { degraded: supply.degraded, conversational };
  const admitted = await admit(parts, state, request, lookup, looped, given);
  await keepConversation(parts, state, looped.text);
  await learn(parts, state);
  const summarized = await summarizeThread(parts, state, looped.usages.length);
  const usages = [...looped.usages, ...(summarized === undefined ? [] : [summarized])];
  return {
    ...resultOf(state),
    text: looped.text,
    status: looped.finished && state.written.error === undefined ? "success" : "partial",
    usage: sumUsage(usages),
    iterations: usages.length,
    response: looped.response,
    cache: lookup === undefined ? disabledCache : { ...outcomeOf(lookup), admitted },
    supply,
    persisted: { ...state.written },
  };
}

/** Limits of operators' rows limit the turn's supply, as limits of its own memory do. */
function limitedBy(context: AssembledContext, shared: ReadonlySet<string>): AssembledContext {
  if (shared.size === 0) return context;
  const { record } = context;
  const limits = [...new Set([...record.limits, ...shared])];
  const bounded = record.bounded || shared.has("memory_search_bounded");
  const fallback_used = record.fallback_used || shared.has("embedder_failed");
  return { ...context, record: { ...record, degraded: true, bounded, fallback_used, limits } };
}

/** What every result has. */
function resultOf(
  state: TurnState,
): Pick<
  RunResult,
  "userId" | "memoryId" | "threadId" | "runId" | "turnId" | "traceContext" | "tools"
> {
  const { userId, memoryId, threadId } = state.place;
  const { runId, turnId } = state.traceContext.identity;
  const { traceContext, called } = state;
  return { userId, memoryId, threadId, runId, turnId, traceContext, tools: [...called] };
}

/** The result of a turn that the cache answers. */
async function answerFromCache(
  state: TurnState,
  parts: AgentParts,
  lookup: CacheLookup,
  answer: string,
): Promise<RunResult> {
  await state.emit({ type: "answer.delta", text: answer });
  await state.emit({ type: "answer.done", text: answer });
  await state.emit({ type: "status", stage: "persisting" });
  await keepConversation(parts, state, answer);
  return {
    ...resultOf(state),
    text: answer,
    status: state.written.error === undefined ? "success" : "partial",
    usage: sumUsage([]),
    iterations: 0,
    response: null,
    cache: outcomeOf(lookup),
    supply: null,
    persisted: { ...state.written },
  };
}
