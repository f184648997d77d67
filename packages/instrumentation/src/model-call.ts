/**
 * @module ModelCall: one call of a model provider (requirements: Provider response metadata). What
 * the provider does not expose stays unknown: nothing is counted, inferred or defaulted here.
 */
import { attribute } from "@turnproof/semconv";

import type { OpenStep } from "./open-step.ts";
import { stepName } from "./witness.ts";
import type { Facts } from "./witness.ts";

/** Known before the call. */
export interface ModelCallOptions {
  readonly model: string;
  /** GenAI provider name, e.g. `openai`, `anthropic`. */
  readonly provider?: string;
  /** GenAI operation; default `chat`. */
  readonly operation?: "chat" | "generate_content" | "text_completion" | "embeddings";
  readonly maxOutputTokens?: number;
  /** Which round of the turn's loop this is, from 1. */
  readonly iteration?: number;
}

/** Token counts as the provider gave them; absent means that it gave none. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  /** Input tokens read from the provider's cache. */
  readonly cachedTokens?: number;
  /** Input tokens written to the provider's cache. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /**
   * True when `inputTokens` leaves out what was read from and written to the cache, as Anthropic's
   * counts do: then the three are summed. Default false.
   */
  readonly splitInput?: boolean;
}

/** What the provider answered, as far as it says. */
export interface ModelResponse {
  readonly responseModel?: string;
  readonly requestId?: string;
  readonly finishReason?: string;
  readonly usage?: ModelUsage;
  readonly responseChars?: number;
  readonly responseBytes?: number;
  readonly retryCount?: number;
}

/** Attributes known at the start. */
export function modelCallFacts(options: ModelCallOptions): Facts {
  return {
    [attribute.genai_operation.span]: options.operation ?? "chat",
    [attribute.model.span]: options.model,
    [attribute.provider.span]: options.provider,
    [attribute.max_output_tokens.span]: options.maxOutputTokens,
    [attribute.iteration.span]: options.iteration,
  };
}

/** Span name of a model call (GenAI: `{operation} {model}`). */
export function modelCallName(options: ModelCallOptions): string {
  return stepName(options.operation ?? "chat", options.model);
}

function inputTokens(usage: ModelUsage): number | undefined {
  if (usage.splitInput !== true || usage.inputTokens === undefined) return usage.inputTokens;
  return usage.inputTokens + (usage.cachedTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

/** Attributes of an answer. */
function modelResponseFacts(response: ModelResponse): Facts {
  const usage = response.usage ?? {};
  return {
    [attribute.response_model.span]: response.responseModel,
    [attribute.request_id.span]: response.requestId,
    [attribute.finish_reason.span]:
      response.finishReason === undefined ? undefined : [response.finishReason],
    [attribute.input_tokens.span]: inputTokens(usage),
    [attribute.output_tokens.span]: usage.outputTokens,
    [attribute.total_tokens.span]: usage.totalTokens,
    [attribute.cached_tokens.span]: usage.cachedTokens,
    [attribute.cache_write_tokens.span]: usage.cacheWriteTokens,
    [attribute.reasoning_tokens.span]: usage.reasoningTokens,
    [attribute.response_chars.span]: response.responseChars,
    [attribute.response_bytes.span]: response.responseBytes,
    [attribute.retry_count.span]: response.retryCount,
  };
}

/** A model call while it runs. */
export class ModelCall {
  readonly step: OpenStep;
  #firstChunkAt: number | undefined;

  constructor(step: OpenStep) {
    this.step = step;
  }

  /** Say so when the first chunk of a stream arrives; later calls change nothing. */
  firstChunk(): void {
    this.#firstChunkAt ??= performance.now();
  }

  /** The provider answered. Settles when the sink has it. */
  respond(response: ModelResponse = {}): Promise<void> {
    return this.step.end("success", { ...modelResponseFacts(response), ...this.#times() });
  }

  /** The provider, or the way to it, failed: by class, never by text. */
  fail(errorType?: string, response: ModelResponse = {}): Promise<void> {
    return this.step.end("error", { ...modelResponseFacts(response), ...this.#times() }, errorType);
  }

  /** It ended and nobody said how. */
  unknown(): Promise<void> {
    return this.step.end("unknown", this.#times());
  }

  /**
   * Passes a stream through and takes the times from it: to its first chunk and to its end. The
   * answer itself is still for the caller to `respond`; a stream given up is unknown.
   */
  async *stream<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    let done = false;
    try {
      for await (const chunk of chunks) {
        this.firstChunk();
        yield chunk;
      }
      done = true;
    } finally {
      if (!done && !this.step.ended) await this.unknown();
    }
  }

  #times(): Facts {
    const now = performance.now();
    const first = this.#firstChunkAt;
    return {
      [attribute.provider_time_ms.span]: now - this.step.startedAt,
      [attribute.ttft_ms.span]: first === undefined ? undefined : first - this.step.startedAt,
      [attribute.stream_duration_ms.span]: first === undefined ? undefined : now - first,
    };
  }
}
