/** @module Turns: small turns for the tests of contracts, whole unless a test changes it. */
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";

/** A window that was read whole, long after everything in it happened. */
export const whole: WindowMetadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
  as_of: "2026-01-02T00:00:00Z",
};

/** A window of which a part was not read. */
export const cut: WindowMetadata = { ...whole, window_complete: false, truncated: true };

const turn = "a000000000000001";

const clock = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

/** An event of the turn that lasts from `at` for `ms`; times in milliseconds. */
export function step(
  kind: TurnEvent["event_kind"],
  at: number,
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> & { readonly ms?: number } = {},
): TurnEvent {
  const { ms = 10, ...fields } = extra;
  const span = `${kind.length.toString(16).padStart(4, "b")}${at.toString(16).padStart(12, "0")}`;
  return {
    schema_version: 3,
    event_id: `${span}:result`,
    event_kind: kind,
    operation: kind,
    phase: "result",
    status: "success",
    started_at: clock(at),
    timestamp: clock(at + ms),
    duration_ms: ms,
    producer_id: "desk",
    span_id: span,
    parent_span_id: turn,
    application_id: "support-desk",
    agent_id: "agent",
    user_id: "user",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: turn,
    ...fields,
    attributes,
  };
}

/** The turn's own result. */
export function end(extra: Partial<TurnEvent> & { readonly ms?: number } = {}): TurnEvent {
  const { parent_span_id: _, ...result } = step(
    "turn",
    0,
    { service_version: "3.2" },
    {
      ms: 5_000,
      event_id: `${turn}:result`,
      span_id: turn,
      ...extra,
    },
  );
  return result;
}

/** A tool call. */
export function tool(
  name: string,
  at: number,
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> & { readonly ms?: number } = {},
): TurnEvent {
  return step("tool_call", at, { tool_name: name, tool_outcome: "success", ...attributes }, extra);
}

/** A model call. */
export function model(
  at: number,
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> & { readonly ms?: number } = {},
): TurnEvent {
  const tokens = { input_tokens: 100, output_tokens: 20, retry_count: 0 };
  return step("model_call", at, { model: "gpt-5", ...tokens, ...attributes }, extra);
}
