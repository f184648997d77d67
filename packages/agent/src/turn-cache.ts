/** @module TurnCache: the semantic cache in one turn: what it looks up, decides and admits. */
import type { AssembledContext, CacheLookup, CacheRequest, SemanticCache } from "@turnproof/memory";
import { CodedError } from "@turnproof/semconv";

import type { AgentParts } from "./parts.ts";
import type { CacheOutcome } from "./run-result.ts";
import type { AnyTool } from "./tools.ts";
import type { TurnState } from "./turn-state.ts";
import type { Looped } from "./model-loop.ts";

/** Of an agent without a cache. */
export const disabledCache: CacheOutcome = {
  decision: "disabled",
  reason: null,
  fingerprint: null,
  similarity: null,
  admitted: null,
};

/** What an answer depends on, for the cache. */
export function cacheRequestOf(
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

/** Looks the request up in the cache; undefined without one. */
export async function requestCache(
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

/** What the cache decided, in a result. */
export function outcomeOf(lookup: CacheLookup): CacheOutcome {
  const { decision, reason, fingerprint, similarity } = lookup;
  return { decision, reason, fingerprint, similarity: similarity ?? null, admitted: null };
}

/** Puts the answer into the cache, where it may be; null without a cache. */
export async function admit(
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
