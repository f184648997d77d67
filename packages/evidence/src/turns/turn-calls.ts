/**
 * @module TurnCalls: the calls of a turn for the tables of tools, models and cost, each call once
 * however many spans describe it.
 */
import { compareEvents } from "../event/event-order.ts";
import type { TurnEvent } from "../event/event.ts";
import { parentKey, spanKey } from "../event/span-key.ts";
import { toolOutcome, toolResults } from "./tool-outcomes.ts";
import { countedModelCalls } from "../normalize/usage.ts";

/** One call; null is unknown. */
export interface TurnCall {
  /** `agent`: another agent's turn inside of this one; absent in a record of an earlier version. */
  readonly kind: "model" | "tool" | "agent";
  readonly name: string | null;
  /** Of an agent: its application, where that is not the caller's. */
  readonly provider: string | null;
  /** A tool's outcome, or the status of a model call or of an agent's turn. */
  readonly outcome: string | null;
  readonly error_type: string | null;
  readonly duration_ms: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  /** Absent in a record of an earlier version; not known there. */
  readonly cache_write_tokens?: number | null;
  readonly reasoning_tokens?: number | null;
  readonly service_tier?: string | null;
}

/** The finished calls of models and tools among the events of one turn, in evidence order. */
export function turnCalls(given: readonly TurnEvent[]): TurnCall[] {
  const events = given.toSorted(compareEvents);
  const tools = new Map(toolResults(events).map((event) => [event.event_id, event]));
  const models = new Set(countedModelCalls(events));
  const spans = new Map(
    events.flatMap((event) =>
      event.event_kind === "model_call" && event.phase === "result"
        ? [[spanKey(event), event] as const]
        : [],
    ),
  );
  return events.flatMap((event) => {
    if (models.has(event)) return [modelCall(event, spans.get(parentKey(event)))];
    const result = event.phase === "start" ? undefined : tools.get(event.event_id);
    return result === undefined || event.event_kind !== "tool_call" ? [] : [toolCall(result)];
  });
}

/** A call described by a log record has the duration of the enclosing span. */
function modelCall(event: TurnEvent, around: TurnEvent | undefined): TurnCall {
  const { attributes: stated, duration_ms: ms } = event;
  const wide = around?.attributes ?? {};
  return {
    kind: "model",
    name: stated.response_model ?? stated.model ?? wide.response_model ?? wide.model ?? null,
    provider: stated.provider ?? wide.provider ?? null,
    outcome: event.status,
    error_type: stated.error_type ?? null,
    duration_ms: ms ?? (event.phase === "event" ? around?.duration_ms : undefined) ?? null,
    input_tokens: stated.input_tokens ?? null,
    output_tokens: stated.output_tokens ?? null,
    cached_tokens: stated.cached_tokens ?? null,
    cache_write_tokens: stated.cache_write_tokens ?? null,
    reasoning_tokens: stated.reasoning_tokens ?? null,
    service_tier: stated.service_tier ?? wide.service_tier ?? null,
  };
}

function toolCall(event: TurnEvent): TurnCall {
  const { attributes: stated } = event;
  return {
    kind: "tool",
    name: stated.tool_name ?? null,
    provider: stated.tool_provider ?? null,
    outcome: toolOutcome(event) ?? null,
    error_type: stated.error_type ?? null,
    duration_ms: event.duration_ms ?? null,
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
  };
}
