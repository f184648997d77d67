/**
 * @module Status: how a span ended, according to its dialect. A status code alone is not reliable:
 * Mastra ends a failed model call with OK, Langfuse leaves a failure unset, OpenInference passes a
 * tool's error on to the parents and to the next call (vocabulary: From a span to an event).
 */
import { eventStatuses, toolOutcomes } from "@turnproof/semconv";
import type { EventPhase, EventStatus, ToolOutcome } from "@turnproof/semconv";

import type { KindDecision } from "./kind-decision.ts";
import type { SpanReading } from "./span-reading.ts";
import type { CurrentSpan } from "./span-record.ts";
import { rowAt } from "./sources.ts";

/** OTLP status codes. */
const statusOk = 1;
const statusError = 2;

/** Finish reason of a model call that failed. */
const failedFinish = "error";

/** Classes and codes by which libraries mark a failure of the provider, not of the tool. */
const providerErrors =
  /^(?:[45]\d\d|(?:AI_)?API\w{0,40}Error|\w{0,40}(?:Provider|RateLimit|Timeout|Connection|ServiceUnavailable|Upstream)\w{0,20}(?:Error|Exception)|timeout|rate_limit\w{0,20}|provider_error|overloaded\w{0,10})$/i;

/**
 * The status of an event, in this order: own attribute, not ended, the dialect's rule, the status
 * code.
 */
export function statusOf(
  span: CurrentSpan,
  decision: KindDecision,
  phase: EventPhase,
  reading: SpanReading,
): EventStatus {
  if (phase === "start") return "started";
  const own = reading.text(rowAt.status);
  if (own !== undefined && (eventStatuses as readonly string[]).includes(own)) {
    return own as EventStatus;
  }
  if (decision.kind === "span") return structuralStatus(span, decision);
  if (failedQuietly(reading)) return "error";
  if (span.statusCode === statusError) {
    return isHandedOn(span, decision, reading) ? "success" : "error";
  }
  // A host span without an explicit end is unknown, never success (requirements: Host recorder).
  const silent = decision.kind === "application_action" || decision.kind === "queue_transition";
  return silent && span.statusCode !== statusOk ? "unknown" : "success";
}

/** Structure has no status of its own; a wrapper's error is the error of an inner span. */
function structuralStatus(span: CurrentSpan, decision: KindDecision): EventStatus {
  const wraps = decision.plan.dialect !== "structural";
  return span.statusCode === statusError && !wraps ? "error" : "unknown";
}

function failedQuietly(reading: SpanReading): boolean {
  const reasons = reading.get(rowAt.finish_reason);
  return Array.isArray(reasons) && reasons.length === 1 && reasons[0] === failedFinish;
}

/**
 * OpenInference marks a span whose neighbour failed. A failure of its own has an exception or an
 * error type, and a finished model call or turn has a finish reason.
 */
function isHandedOn(span: CurrentSpan, decision: KindDecision, reading: SpanReading): boolean {
  if (decision.plan.dialect !== "openinference" || span.exceptionType !== undefined) return false;
  if (reading.get(rowAt.error_type) !== undefined) return false;
  return reading.get(rowAt.finish_reason) !== undefined;
}

/** Outcome of an ended tool call; undefined when it has not ended or is unknown. */
export function toolOutcomeOf(status: EventStatus, reading: SpanReading): ToolOutcome | undefined {
  const own = reading.text(rowAt.tool_outcome);
  if (own !== undefined && (toolOutcomes as readonly string[]).includes(own)) {
    return own as ToolOutcome;
  }
  if (status === "error") {
    const type = reading.text(rowAt.error_type);
    return type !== undefined && providerErrors.test(type) ? "provider_error" : "error";
  }
  if (status !== "success" && status !== "partial") return undefined;
  if (reading.get(rowAt.fallback_used) === true) return "fallback";
  if (reading.get(rowAt.degraded) === true || status === "partial") return "degraded";
  return reading.get(rowAt.result_count) === 0 ? "empty" : "success";
}
