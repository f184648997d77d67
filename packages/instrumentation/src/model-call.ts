/**
 * @module ModelCall: one call of a model provider (requirements: Provider response metadata). What
 * the provider does not report stays unknown: nothing is counted, inferred or defaulted here.
 */
import { attribute } from "@turnproof/semconv";

import type { OpenStep } from "./open-step.ts";
import { stepName } from "./step-name.ts";
import type { Facts } from "./observation.ts";

/** Fields known before the call. */
export interface ModelCallOptions {
  readonly model: string;
  /** GenAI provider name, e.g. `openai`, `anthropic`. */
  readonly provider?: string;
  /** GenAI operation; default `chat`. */
  readonly operation?: "chat" | "generate_content" | "text_completion" | "embeddings";
  readonly maxOutputTokens?: number;
  /** Round of the turn's loop, from 1. */
  readonly iteration?: number;
}

/** Token counts as the provider reported them; absent means not reported. */
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
   * True when `inputTokens` excludes tokens read from and written to the cache, as Anthropic's
   * counts do: then the three are summed. Default false.
   */
  readonly splitInput?: boolean;
}

/** The provider's response; absent fields were not reported. */
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

/** Attributes of a response. */
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

  /** Call it when the first chunk of a stream arrives; later calls do nothing. */
  firstChunk(): void {
    this.#firstChunkAt ??= performance.now();
  }

  /** Ends it with the provider's response. Resolves when the sink has it. */
  respond(response: ModelResponse = {}): Promise<void> {
    return this.step.end("success", { ...modelResponseFacts(response), ...this.#times() });
  }

  /** Ends it as failed, with the error's class, never its text. */
  fail(errorType?: string, response: ModelResponse = {}): Promise<void> {
    return this.step.end("error", { ...modelResponseFacts(response), ...this.#times() }, errorType);
  }

  /** Ends it without a known outcome. */
  unknown(): Promise<void> {
    return this.step.end("unknown", this.#times());
  }

  /**
   * Passes a stream through and takes the times of its first chunk and its end. The caller still
   * calls `respond` with the answer; a stream that is abandoned is unknown.
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
