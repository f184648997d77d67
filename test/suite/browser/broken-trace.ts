/** @module A trace in which everything is wrong that a waterfall can flag. */
import type { TurnEvent } from "@turnproof/evidence";

/** Root of the broken trace. */
export const brokenRoot: string = "b0".repeat(16);

const at = (ms: number): string => new Date(Date.UTC(2026, 10, 21, 13) + ms).toISOString();

function span(id: string, from: number, to: number, more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "application_action",
    operation: id.replaceAll("-", "_"),
    phase: "result",
    status: "success",
    timestamp: at(to),
    started_at: at(from),
    duration_ms: to - from,
    span_id: id,
    parent_span_id: "turn",
    application_id: "newsroom",
    agent_id: "briefing-writer",
    thread_id: "thr_broken",
    run_id: "run_broken",
    turn_id: "turn_broken",
    root_trace_id: brokenRoot,
    dialect: "gen_ai",
    attributes: {},
    ...more,
  };
}

/**
 * Missing parents and causes, a circle, a skewed clock, a call that never ended, a remote parent.
 */
export const brokenTrace: readonly TurnEvent[] = [
  span("turn", 0, 9_000, { event_kind: "turn", parent_span_id: "" }),
  span("first-orphan", 100, 400, { parent_span_id: "feedfacecafebeef" }),
  span("second-orphan", 420, 600, { parent_span_id: "feedfacecafebeef" }),
  span("effect", 700, 900, { caused_by_event_id: "nobody-knows" }),
  span("ring-a", 1_000, 1_200, { parent_span_id: "ring-b" }),
  span("ring-b", 1_000, 1_100, { parent_span_id: "ring-a" }),
  span("early", -300, 1_000, { event_kind: "tool_call", attributes: { tool_name: "search" } }),
  span("worker", 1_300, 1_500, { parent_remote: true, parent_span_id: "0123456789abcdef" }),
  span("open", 8_000, 8_000, {
    event_id: "open:start",
    phase: "start",
    status: "started",
    event_kind: "model_call",
    attributes: { model: "atlas-large-2" },
    dropped: { attribute_unknown: 4 },
  }),
  span("late", 8_600, 8_900, { status: "error", event_kind: "tool_call" }),
].map((event) => {
  const { parent_span_id: parent, ...rest } = event;
  return parent === undefined || parent === "" ? rest : event;
});
