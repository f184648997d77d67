/**
 * @module ModelStep: one model answer, streamed or not, with retries; each attempt is recorded as
 * a model call. Of an error only the class is recorded.
 */
import { setTimeout as wait } from "node:timers/promises";

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import type { ModelCall, Turn } from "@turnproof/instrumentation";
import { attribute } from "@turnproof/semconv";

import { admissible } from "./admissible.ts";
import { collectStream } from "./collect-stream.ts";
import type { RawAnswer } from "./collect-stream.ts";
import {
  finishReasonOf,
  followCall,
  requestIdOf,
  tokenUsageOf,
  usageOf,
} from "./response-metadata.ts";
import type { ResponseMetadata, TokenUsage } from "./run-result.ts";

/** The request of one round of the loop. */
export interface StepRequest {
  readonly model: LanguageModelV4;
  readonly turn: Turn;
  readonly call: LanguageModelV4CallOptions;
  readonly iteration: number;
  readonly retriesMax: number;
  readonly signal: AbortSignal;
  /** Receives streamed text; absent: the whole answer is requested at once. */
  readonly onText?: (text: string) => Promise<void>;
}

/** The model's answer. */
export interface StepAnswer {
  readonly content: readonly LanguageModelV4Content[];
  readonly text: string;
  readonly toolCalls: readonly LanguageModelV4ToolCall[];
  /** The adapter's reason for the end; `response.finishReason` is the provider's. */
  readonly ended: LanguageModelV4FinishReason["unified"];
  readonly usage: TokenUsage;
  readonly response: ResponseMetadata;
}

const backoffMs = 200;
const retryAfterMsMax = 10_000;

/**
 * Calls the model; retries errors that the adapter marks as retryable, until text was streamed.
 */
export async function modelStep(request: StepRequest): Promise<StepAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const started = { streamed: false };
    try {
      return await requestOnce(request, attempt, started);
    } catch (error) {
      request.signal.throwIfAborted();
      const last = attempt >= request.retriesMax || started.streamed || !isRetryable(error);
      if (last) throw error;
      await wait(delayOf(error, attempt), undefined, { signal: request.signal });
    }
  }
}

function isRetryable(error: unknown): boolean {
  return (error as { isRetryable?: unknown } | null)?.isRetryable === true;
}

/** Exponential, unless the provider sends a retry delay. */
function delayOf(error: unknown, attempt: number): number {
  const headers = (error as { responseHeaders?: Record<string, string> }).responseHeaders;
  const seconds = Number(headers?.["retry-after"]);
  const requested = headers?.["retry-after"] !== undefined && Number.isFinite(seconds);
  return Math.min(
    retryAfterMsMax,
    requested ? Math.max(0, seconds) * 1_000 : backoffMs * 2 ** attempt,
  );
}

function requestOnce(
  request: StepRequest,
  attempt: number,
  started: { streamed: boolean },
): Promise<StepAnswer> {
  const { model, turn, call, iteration } = request;
  const provider = admissible(attribute.provider, model.provider.split(".")[0]);
  const options = {
    model: admissible(attribute.model, model.modelId) ?? "unknown",
    iteration,
    ...(provider === undefined ? {} : { provider }),
    ...(call.maxOutputTokens === undefined ? {} : { maxOutputTokens: call.maxOutputTokens }),
  };
  return turn.modelCall(options, async (open) => {
    const followed = followCall(model);
    const times = { startedAt: performance.now(), firstAt: undefined as number | undefined };
    try {
      const raw = await rawAnswer(request, open, started, times);
      const requestId = requestIdOf(raw.headers);
      return await settle(request, open, raw, followed.metadata(requestId), attempt, times);
    } catch (error) {
      // An aborted call has not failed: its outcome is unknown.
      if (request.signal.aborted) await open.unknown();
      throw error;
    } finally {
      followed.end();
    }
  });
}

async function rawAnswer(
  { model, call, signal, onText }: StepRequest,
  open: ModelCall,
  started: { streamed: boolean },
  times: { firstAt: number | undefined },
): Promise<RawAnswer> {
  const options = { ...call, abortSignal: signal };
  if (onText === undefined) {
    const result = await model.doGenerate(options);
    const { content, finishReason, usage, response } = result;
    return { content, finishReason, usage, headers: response?.headers, modelId: response?.modelId };
  }
  const result = await model.doStream(options);
  const collected = await collectStream(result.stream, signal, {
    first: () => {
      times.firstAt ??= performance.now();
      open.firstChunk();
    },
    text: async (text) => {
      started.streamed = true;
      await onText(text);
    },
  });
  return { ...collected, headers: result.response?.headers };
}

async function settle(
  request: StepRequest,
  open: ModelCall,
  raw: RawAnswer,
  reported: ReturnType<ReturnType<typeof followCall>["metadata"]>,
  attempt: number,
  times: { readonly startedAt: number; readonly firstAt: number | undefined },
): Promise<StepAnswer> {
  const text = raw.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const knownReason = finishReasonOf(raw.finishReason, reported);
  const finishReason = admissible(
    attribute.finish_reason,
    knownReason === undefined ? knownReason : [knownReason],
  )?.[0];
  const requestId = admissible(
    attribute.request_id,
    requestIdOf(raw.headers) ?? reported.requestId,
  );
  const responseModel = admissible(attribute.response_model, raw.modelId);
  const usage = usageOf(raw.usage, reported);
  const responseChars = reported.responseChars ?? text.length;
  await open.respond({
    usage,
    responseChars,
    retryCount: attempt,
    ...(responseModel === undefined ? {} : { responseModel }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(finishReason === undefined ? {} : { finishReason }),
  });
  const { startedAt, firstAt } = times;
  return {
    content: raw.content,
    text,
    toolCalls: raw.content.filter(
      (part): part is LanguageModelV4ToolCall =>
        part.type === "tool-call" && part.providerExecuted !== true,
    ),
    ended: raw.finishReason?.unified ?? "other",
    usage: tokenUsageOf(usage),
    response: {
      finishReason: finishReason ?? null,
      requestId: requestId ?? null,
      responseChars,
      maxOutputTokens: reported.maxOutputTokens ?? request.call.maxOutputTokens ?? null,
      timeToFirstTokenMs: firstAt === undefined ? null : firstAt - startedAt,
      providerTimeMs: performance.now() - startedAt,
    },
  };
}
