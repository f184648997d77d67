/**
 * @module RunTurn: the steps of one turn: memory, cache, model and tools, references, storage. It
 * has no state of its own; all state is in the turn.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { recordReferenced, recordSupplied } from "@turnproof/memory";
import type { AssembledContext, CacheLookup, CacheRequest, SemanticCache } from "@turnproof/memory";
import { CodedError } from "@turnproof/semconv";

import type { AgentParts } from "./parts.ts";
import { modelStep } from "./model-step.ts";
import type { StepAnswer } from "./model-step.ts";
import { assistantMessage, instructionsOf, promptOf, toolSchemas } from "./prompt.ts";
import { sumUsage } from "./run-result.ts";
import type { CacheOutcome, ResponseMetadata, RunResult, TokenUsage } from "./run-result.ts";
import { runTool } from "./run-tool.ts";
import type { ToolRun } from "./run-tool.ts";
import { sharedContext } from "./shared-context.ts";
import { summarizeThread } from "./summarize-thread.ts";
import { offerTools } from "./tool-router.ts";
import type { AnyTool } from "./tools.ts";
import type { TurnState } from "./turn-state.ts";

/** Result of the loop. */
interface Looped {
  readonly text: string;
  readonly usages: readonly TokenUsage[];
  readonly response: ResponseMetadata;
  readonly runs: readonly ToolRun[];
  /** True when the model ended its answer within the bounds. */
  readonly finished: boolean;
}

const disabledCache: CacheOutcome = {
  decision: "disabled",
  reason: null,
  fingerprint: null,
  similarity: null,
  admitted: null,
};

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

function cacheRequestOf(
  parts: AgentParts,
  state: TurnState,
  context: AssembledContext,
  { instructions, tools }: { readonly instructions: string; readonly tools: readonly AnyTool[] },
): CacheRequest {
  const { model } = parts;
  const { settings = {}, cache } = parts.options;
  return {
    query: state.query,
    model: JSON.stringify([model.provider, model.modelId, settings]),
    instructions,
    tools,
    dataVersion: cache?.dataVersion,
    context: state.options.context,
    standing: context.standing,
    recalled: context.recalled,
  };
}

function bypassReason(
  { options }: AgentParts,
  state: TurnState,
  context: AssembledContext,
): "requested" | "conversation_dependent" | undefined {
  if (state.options.cache === "bypass") return "requested";
  const mayDepend = options.cache?.conversation !== "ignore";
  return mayDepend && context.conversationDependent ? "conversation_dependent" : undefined;
}

async function requestCache(
  parts: AgentParts,
  state: TurnState,
  context: AssembledContext,
  request: CacheRequest,
): Promise<CacheLookup | undefined> {
  const cache: SemanticCache | undefined = parts.cache;
  if (cache === undefined) {
    await state.turn.cacheDecided({ decision: "disabled" });
    return undefined;
  }
  await state.emit({ type: "status", stage: "cache" });
  const bypass = bypassReason(parts, state, context);
  return cache.lookup(state.place, request, { bypass, signal: state.signal });
}

function outcomeOf(lookup: CacheLookup): CacheOutcome {
  const { decision, reason, fingerprint, similarity } = lookup;
  return { decision, reason, fingerprint, similarity: similarity ?? null, admitted: null };
}

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

async function loop(
  parts: AgentParts,
  state: TurnState,
  { first, tools }: { readonly first: LanguageModelV4Prompt; readonly tools: readonly AnyTool[] },
  streaming: boolean,
): Promise<Looped> {
  const { settings, routing, iterationsMax = 12, retriesMax = 2 } = parts.options;
  const { signal, query } = state;
  const offered = await offerTools(tools, query, parts.embedder, routing, signal);
  const bench = { tools: offered, memory: parts.memory, callFingerprint: parts.callFingerprint };
  const prompt = [...first];
  const usages: TokenUsage[] = [];
  const runs: ToolRun[] = [];
  const onText = (text: string): Promise<void> => {
    state.streamed.text += text;
    return state.emit({ type: "answer.delta", text });
  };
  for (let iteration = 1; ; iteration += 1) {
    signal.throwIfAborted();
    await state.emit({ type: "status", stage: "model" });
    const mayCall = iteration < iterationsMax && state.budget.left > 0;
    const answer = await modelStep({
      model: parts.model,
      turn: state.turn,
      call: { ...settings, prompt, ...toolOptions(offered, mayCall) },
      iteration,
      retriesMax,
      signal,
      ...(streaming ? { onText } : {}),
    });
    usages.push(answer.usage);
    await state.emit({ type: "usage", iteration, usage: answer.usage });
    if (answer.toolCalls.length === 0 || !mayCall) {
      // After a failed call, or a call of an unknown tool, the model still answers; a call beyond
      // the budget leaves a result missing.
      const limited = runs.some(({ overBudget }) => overBudget);
      return endOf(answer, usages, runs, answer.toolCalls.length === 0 && !limited);
    }
    await state.emit({ type: "status", stage: "tools" });
    const round: ToolRun[] = [];
    // One after the other: the second of two calls may depend on the first.
    for (const call of answer.toolCalls) round.push(await runTool(call, state, bench));
    runs.push(...round);
    const inputs = new Map(round.map(({ part, input }) => [part.toolCallId, input]));
    prompt.push(assistantMessage(answer.content, inputs));
    prompt.push({ role: "tool", content: round.map(({ part }) => part) });
  }
}

function toolOptions(
  offered: readonly AnyTool[],
  mayCall: boolean,
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (offered.length === 0) return {};
  return { tools: toolSchemas(offered), toolChoice: { type: mayCall ? "auto" : "none" } };
}

function endOf(
  answer: StepAnswer,
  usages: readonly TokenUsage[],
  runs: readonly ToolRun[],
  within: boolean,
): Looped {
  const cut = answer.ended === "length" || answer.ended === "content-filter";
  const finished = within && !cut && answer.text !== "";
  return { text: answer.text, usages, response: answer.response, runs, finished };
}

async function admit(
  parts: AgentParts,
  state: TurnState,
  request: CacheRequest,
  lookup: CacheLookup | undefined,
  looped: Looped,
  { degraded, conversational }: { readonly degraded: boolean; readonly conversational: boolean },
): Promise<boolean | null> {
  if (parts.cache === undefined || lookup === undefined) return null;
  if (lookup.decision === "bypassed") return false;
  const { runs } = looped;
  const limited = runs.some(
    ({ answer }) => answer.outcome !== "success" && answer.outcome !== "empty",
  );
  try {
    const { admitted } = await parts.cache.admit(state.place, request, {
      answer: looped.text,
      turnId: state.traceContext.identity.turnId,
      readOnly: runs.every(({ tool }) => tool?.readOnly === true),
      deterministic:
        (parts.options.settings?.temperature ?? 0) === 0 &&
        runs.every(({ tool }) => tool?.deterministic === true),
      finished: looped.finished,
      degraded: degraded || limited,
      conversational,
    });
    state.written.cache = admitted;
    return admitted;
  } catch (error) {
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
    return false;
  }
}

/** The answer is returned even when it could not be stored. */
async function keepConversation(
  parts: AgentParts,
  state: TurnState,
  answer: string,
): Promise<void> {
  const { turnId } = state.traceContext.identity;
  try {
    const messages = [
      { role: "user" as const, text: state.query, turnId },
      { role: "assistant" as const, text: answer, turnId },
    ];
    await parts.memory.conversation.append(state.place, messages, () => {
      state.written.conversation += 1;
    });
  } catch (error) {
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}

/** Outcome of a tool that was aborted while it ran. */
const cutOutcome = "unknown";

/**
 * Stores the question of a turn that ended without an answer, the text so far and the tools that
 * had run or were running, so that the next turn has them. The caller receives the original
 * failure, so a store that refuses this is reported in `persisted` only.
 */
export async function keepCutTurn(
  parts: AgentParts,
  state: TurnState,
  status: "error" | "cancelled",
): Promise<void> {
  if (state.written.conversation > 0) return;
  const { turnId } = state.traceContext.identity;
  const tools = [
    ...state.called.map(({ toolName: name, outcome }) => ({ name, outcome })),
    ...[...state.running].map(({ toolName: name }) => ({ name, outcome: cutOutcome })),
  ];
  const cut = { turnId, cut: { status, tools } };
  const { text } = state.streamed;
  try {
    const messages = [
      { role: "user" as const, text: state.query, ...cut },
      ...(text === "" ? [] : [{ role: "assistant" as const, text, ...cut }]),
    ];
    await parts.memory.conversation.append(state.place, messages, () => {
      state.written.conversation += 1;
    });
  } catch (error) {
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}

async function learn(parts: AgentParts, state: TurnState): Promise<void> {
  if (parts.options.learning === false || state.written.error !== undefined) return;
  try {
    await parts.memory.learning.observe(
      state.place,
      state.called.map(({ toolName }) => toolName),
    );
  } catch (error) {
    // Failed learning does not affect the answer, except in strict mode.
    if (parts.options.strict === true) throw error;
    state.written.error = CodedError.is(error) ? error.code : "write_failed";
  }
}
