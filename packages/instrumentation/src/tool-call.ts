/** @module ToolCall: one call of a tool and its structured outcome (vocabulary: States). */
import { attribute } from "@turnproof/semconv";
import type { EventStatus, ToolOutcome } from "@turnproof/semconv";

import type { OpenStep } from "./open-step.ts";
import type { Facts } from "./observation.ts";

/** Fields known before the call. Arguments are content and are not recorded. */
export interface ToolCallOptions {
  readonly name: string;
  /** GenAI tool type: `function`, `extension`, `datastore`. */
  readonly type?: string;
  readonly callId?: string;
  /** Provider that is tried first. */
  readonly primaryProvider?: string;
  /** Keyed fingerprint of name and arguments, so that identical calls can be recognized. */
  readonly callFingerprint?: string;
}

/** Outcome of a tool call. Results are content; their number is not. */
export interface ToolResult {
  readonly outcome: ToolOutcome;
  /** Provider that answered. */
  readonly provider?: string;
  readonly fallbackProvider?: string;
  readonly resultCount?: number;
  readonly errorType?: string;
  readonly retryCount?: number;
}

const statusOf: { readonly [K in ToolOutcome]: EventStatus } = {
  success: "success",
  empty: "success",
  degraded: "partial",
  fallback: "success",
  provider_error: "error",
  error: "error",
};

/** Attributes known at the start. */
export function toolCallFacts(options: ToolCallOptions): Facts {
  return {
    [attribute.genai_operation.span]: "execute_tool",
    [attribute.tool_name.span]: options.name,
    [attribute.tool_type.span]: options.type,
    [attribute.tool_call_id.span]: options.callId,
    [attribute.primary_provider.span]: options.primaryProvider,
    [attribute.call_fingerprint.span]: options.callFingerprint,
  };
}

/** A tool call while it runs. */
export class ToolCall {
  readonly step: OpenStep;

  constructor(step: OpenStep) {
    this.step = step;
  }

  /** Ends it with its outcome. Settles when the sink has it. */
  result(result: ToolResult): Promise<void> {
    const { outcome } = result;
    return this.step.end(
      statusOf[outcome],
      {
        [attribute.tool_outcome.span]: outcome,
        [attribute.tool_provider.span]: result.provider,
        [attribute.fallback_provider.span]: result.fallbackProvider,
        [attribute.result_count.span]: result.resultCount,
        [attribute.fallback_used.span]: outcome === "fallback" ? true : undefined,
        [attribute.degraded.span]: outcome === "degraded" ? true : undefined,
        [attribute.retry_count.span]: result.retryCount,
      },
      result.errorType,
    );
  }
}
