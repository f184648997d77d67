/** Settled events have the verdict, waterfall and insights of the readers that accept anything. */
import { expect, test } from "vitest";

import type { TurnEvent } from "./event/event.ts";
import { findInsights } from "./insights/insights.ts";
import { dedupeEvents } from "./normalize/dedupe.ts";
import { resolveEvents } from "./normalize/resolve.ts";
import { reconcileOutcome } from "./reconcile/reconcile.ts";
import { reconcileSettled, viewSettled } from "./settled-turn.ts";
import { buildCausalWaterfall } from "./waterfall/waterfall.ts";

function span(id: string, parent: string | undefined, more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: `2026-03-01T10:00:0${id}.000000000Z`,
    received_at: "2026-03-01T10:00:30.000000Z",
    ingest_principal: "app",
    span_id: id,
    root_trace_id: "root",
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    ...more,
    attributes: { tool_name: "search", ...more.attributes },
  };
}

const failed = { status: "error" } as const;
const rows: readonly TurnEvent[] = [
  span("1", undefined, { event_kind: "turn", agent_id: "desk", user_id: "u", thread_id: "t" }),
  span("2", "1"),
  span("2", "1"),
  span("3", "1", failed),
  span("4", "1", failed),
  span("5", "9", { ingest_trusted: false }),
  span("6", undefined, { event_kind: "turn", agent_id: "clerk", application_id: "other" }),
  span("7", "6", { event_kind: "data_quality", application_id: "third" }),
];
const { events } = dedupeEvents(resolveEvents(rows));

test("the view of settled events is that of any events", () => {
  const view = viewSettled(events);
  expect(view.waterfall).toEqual(buildCausalWaterfall(events));
  expect(view.insights).toEqual(findInsights(events, { scope: "turn" }));
  expect(view.insights.total).toBeGreaterThan(0);
});

test.each([
  ["a whole window", { window_complete: true }],
  ["a mark before some of it", { window_complete: true, as_of: "2026-03-01T10:00:20.000000Z" }],
])("the verdict over %s is that over any events", (_name, normalizationMetadata) => {
  const options = { normalizationMetadata };
  expect(reconcileSettled(events, options)).toEqual(reconcileOutcome(events, options));
});
