/** @module TurnEvent: an event of one turn, and the metadata of a window that was read whole. */
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";

import { whole } from "./text-windows.ts";

/** Metadata of a window that was read whole, long after everything in it happened. */
export const complete: WindowMetadata = { ...whole, as_of: "2026-01-02T00:00:00Z" };

/** An event whose id is its kind and its second, unless `extra` replaces them. */
export function event(
  kind: TurnEvent["event_kind"],
  second: number,
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${kind}-${second}`,
    event_kind: kind,
    phase: "event",
    status: "success",
    timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
    application_id: "app",
    agent_id: "agent",
    user_id: "user",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: "turn",
    ...extra,
    attributes,
  };
}
