/**
 * @module ResponseMetadata: what a provider reported about a response (requirements: Provider
 * response metadata). A number that an adapter filled in for a provider's missing field is unknown
 * here, and the metadata of a concurrent turn is never used for this one.
 */
import type {
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ModelUsage } from "@turnproof/instrumentation";

import { definedFields } from "./defined-fields.ts";
import type { TokenUsage } from "./run-result.ts";

/** What an adapter may report about its last response, in either spelling. */
export interface AdapterMetadata {
  readonly finishReason?: string;
  readonly requestId?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly responseChars?: number;
  readonly maxOutputTokens?: number;
  /** True when `inputTokens` leaves cached tokens out. */
  readonly splitInput?: boolean;
}

const spellings: { readonly [K in keyof AdapterMetadata]: readonly string[] } = {
  finishReason: ["finishReason", "finish_reason", "stopReason", "stop_reason"],
  requestId: ["requestId", "request_id"],
  inputTokens: ["inputTokens", "input_tokens", "prompt_tokens"],
  outputTokens: ["outputTokens", "output_tokens", "completion_tokens"],
  totalTokens: ["totalTokens", "total_tokens"],
  cachedTokens: ["cachedTokens", "cached_tokens", "cache_read_input_tokens"],
  cacheWriteTokens: ["cacheWriteTokens", "cache_write_tokens", "cache_creation_input_tokens"],
  responseChars: ["responseChars", "response_chars", "responseLength", "response_length"],
  maxOutputTokens: ["maxOutputTokens", "max_output_tokens", "outputLimit", "output_limit"],
};

/** Reads an adapter's mapping; a value of another type is unknown. */
export function readAdapterMetadata(given: unknown): AdapterMetadata {
  if (typeof given !== "object" || given === null) return {};
  const fields = given as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const [name, names] of Object.entries(spellings)) {
    const value = names
      .map((key) => fields[key])
      .find((item) => item !== undefined && item !== null);
    const textual = name === "finishReason" || name === "requestId";
    const fits = textual
      ? typeof value === "string"
      : typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
    if (fits) read[name] = value;
  }
  // Under Anthropic's own names input excludes what the cache read and wrote.
  const split = "cache_read_input_tokens" in fields || "cache_creation_input_tokens" in fields;
  return { ...read, ...(split ? { splitInput: true } : {}) };
}

/** Calls of each adapter in progress; calls that overlapped are marked. */
const underWay: WeakMap<object, Set<{ alone: boolean }>> = new WeakMap();

/** Follows one call of an adapter. */
export function followCall(model: LanguageModelV4): {
  /** The adapter's metadata for this call; empty when it may belong to another call. */
  readonly metadata: (requestId: string | undefined) => AdapterMetadata;
  readonly end: () => void;
} {
  const calls = underWay.get(model) ?? new Set();
  underWay.set(model, calls);
  const own = { alone: calls.size === 0 };
  for (const other of calls) other.alone = false;
  calls.add(own);
  return {
    metadata: (requestId) => {
      const adapter = model as { getLastResponseMetadata?: () => unknown };
      if (typeof adapter.getLastResponseMetadata !== "function") return {};
      let reported: AdapterMetadata;
      try {
        reported = readAdapterMetadata(adapter.getLastResponseMetadata());
      } catch {
        return {};
      }
      const same = requestId !== undefined && reported.requestId === requestId;
      const contradicted = requestId !== undefined && reported.requestId !== undefined && !same;
      return same || (own.alone && !contradicted) ? reported : {};
    },
    end: () => calls.delete(own),
  };
}

/** A zero that an adapter filled in for a field that the provider's own usage lacks is unknown. */
function exposed(
  value: number | undefined,
  raw: string | undefined,
  field: RegExp,
): number | undefined {
  if (value === undefined || !Number.isSafeInteger(value) || value < 0) return undefined;
  return value === 0 && raw !== undefined && !field.test(raw) ? undefined : value;
}

/** Usage as the provider reported it, and where it did not, as the adapter reported it. */
export function usageOf(
  usage: LanguageModelV4Usage | undefined,
  reported: AdapterMetadata,
): ModelUsage {
  const raw = usage?.raw === undefined ? undefined : JSON.stringify(usage.raw);
  const { inputTokens: input, outputTokens: output } = usage ?? {};
  const total = exposed(input?.total, raw, /(prompt|input)_?tokens/i);
  const noCache = exposed(input?.noCache, raw, /(prompt|input)_?tokens/i);
  const reportedSplit = total === undefined && noCache === undefined ? reported : {};
  const split = total === undefined && (noCache !== undefined || reportedSplit.splitInput === true);
  const rawTotal = (usage?.raw as { total_tokens?: unknown } | undefined)?.total_tokens;
  return definedFields({
    inputTokens: total ?? noCache ?? reportedSplit.inputTokens,
    outputTokens:
      exposed(output?.total, raw, /(completion|output)_?tokens/i) ?? reported.outputTokens,
    totalTokens: typeof rawTotal === "number" ? rawTotal : reported.totalTokens,
    cachedTokens: exposed(input?.cacheRead, raw, /cache/i) ?? reported.cachedTokens,
    cacheWriteTokens: exposed(input?.cacheWrite, raw, /cache/i) ?? reported.cacheWriteTokens,
    reasoningTokens: exposed(output?.reasoning, raw, /reasoning|thinking/i),
    splitInput: split ? true : undefined,
  });
}

/** The usage for the caller: all input tokens, unknown as null. */
export function tokenUsageOf(usage: ModelUsage): TokenUsage {
  const { inputTokens: input } = usage;
  const cached = (usage.cachedTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  return {
    inputTokens: input === undefined ? null : usage.splitInput === true ? input + cached : input,
    outputTokens: usage.outputTokens ?? null,
    totalTokens: usage.totalTokens ?? null,
    cachedTokens: usage.cachedTokens ?? null,
    cacheWriteTokens: usage.cacheWriteTokens ?? null,
    reasoningTokens: usage.reasoningTokens ?? null,
  };
}

/** The finish reason that the provider reported; an adapter's default counts as none. */
export function finishReasonOf(
  reason: LanguageModelV4FinishReason | undefined,
  reported: AdapterMetadata,
): string | undefined {
  return reason?.raw === undefined ? reported.finishReason : reason.unified;
}

/** Id of the request as the provider's headers name it. */
export function requestIdOf(
  headers: Readonly<Record<string, string | undefined>> | undefined,
): string | undefined {
  for (const name of ["x-request-id", "request-id", "x-amzn-requestid"]) {
    const value = headers?.[name];
    if (value !== undefined) return value;
  }
  return undefined;
}
