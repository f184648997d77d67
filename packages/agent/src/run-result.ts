/** @module RunResult: the result of one turn. */
import type { TraceContext } from "@turnproof/instrumentation";
import type { CacheReason, SupplyRecord } from "@turnproof/memory";
import type { CacheDecision, IdentityOptions, ToolOutcome } from "@turnproof/semconv";

/** How a turn ended. */
export type RunStatus = "success" | "partial" | "error" | "cancelled";

/** Tokens of a call or a turn; null is unknown and never 0. */
export interface TokenUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  /** Input tokens read from and written to the provider's cache, not ours. */
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** What the semantic cache did. */
export interface CacheOutcome {
  readonly decision: CacheDecision;
  readonly reason: CacheReason | null;
  readonly fingerprint: string | null;
  readonly similarity: number | null;
  /** Whether this turn's answer was cached; null when there was nothing to decide. */
  readonly admitted: boolean | null;
}

/**
 * Metadata of the provider's last response; null is unknown (requirements: Provider response
 * metadata).
 */
export interface ResponseMetadata {
  readonly finishReason: string | null;
  readonly requestId: string | null;
  readonly responseChars: number | null;
  readonly maxOutputTokens: number | null;
  /** Measured by the agent: until the first chunk of a stream, and for the whole call. */
  readonly timeToFirstTokenMs: number | null;
  readonly providerTimeMs: number | null;
}

/** A tool call of the turn. */
export interface CalledTool {
  readonly callId: string;
  readonly toolName: string;
  readonly outcome: ToolOutcome;
}

/** The result of a turn. */
export interface RunResult extends Pick<
  IdentityOptions,
  "userId" | "memoryId" | "threadId" | "runId" | "turnId"
> {
  readonly text: string;
  readonly status: "success" | "partial";
  readonly traceContext: TraceContext;
  readonly usage: TokenUsage;
  /** Number of model calls; 0 on a cache hit. */
  readonly iterations: number;
  readonly response: ResponseMetadata | null;
  readonly cache: CacheOutcome;
  /** Memory supply, content-free; null when the cache answered. */
  readonly supply: SupplyRecord | null;
  readonly tools: readonly CalledTool[];
  readonly persisted: Persisted;
}

/** All unknown. */
export const unknownUsage: TokenUsage = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

/** The sum of several calls; a field that is unknown in one call is unknown in the sum. */
export function sumUsage(calls: readonly TokenUsage[]): TokenUsage {
  const [first, ...rest] = calls;
  if (first === undefined) return unknownUsage;
  const plus = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? null : a + b;
  return rest.reduce(
    (sum, next) => ({
      inputTokens: plus(sum.inputTokens, next.inputTokens),
      outputTokens: plus(sum.outputTokens, next.outputTokens),
      totalTokens: plus(sum.totalTokens, next.totalTokens),
      cachedTokens: plus(sum.cachedTokens, next.cachedTokens),
      cacheWriteTokens: plus(sum.cacheWriteTokens, next.cacheWriteTokens),
      reasoningTokens: plus(sum.reasoningTokens, next.reasoningTokens),
    }),
    first,
  );
}

/** What was written to memory. */
export interface Persisted {
  /** Messages of the conversation. */
  readonly conversation: number;
  readonly toolLog: number;
  readonly workflowSteps: number;
  readonly summaries: number;
  /** True when the answer was admitted to the semantic cache. */
  readonly cache: boolean;
  /** Code of a failed write, when one failed. */
  readonly error?: string;
}
