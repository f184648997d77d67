/** @module A trace in which an agent calls another, which calls the first again. */
import type { TurnEvent } from "@turnproof/evidence";

const at = (ms: number): string => new Date(Date.UTC(2026, 10, 21, 12) + ms).toISOString();

function turn(
  span_id: string,
  agent_id: string,
  more: Pick<Partial<TurnEvent>, "parent_span_id" | "status">,
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${span_id}:result`,
    event_kind: "turn",
    operation: `invoke_agent ${agent_id}`,
    phase: "result",
    status: "success",
    timestamp: at(900),
    started_at: at(0),
    duration_ms: 900,
    span_id,
    application_id: "newsroom",
    agent_id,
    thread_id: "thr_called",
    turn_id: span_id,
    root_trace_id: "ca".repeat(16),
    dialect: "gen_ai",
    attributes: {},
    ...more,
  };
}

/** The turns. */
export const calledTrace: readonly TurnEvent[] = [
  turn("lead-turn", "lead", {}),
  turn("scout-turn", "scout", { parent_span_id: "lead-turn", status: "error" }),
  turn("again-turn", "lead", { parent_span_id: "scout-turn" }),
];
