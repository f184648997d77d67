/** Tool outcomes, badges and counts (requirements: Reconciliation 11), and unfinished starts. */
import { toolBadges, toolOutcomes } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { unfinishedStarts } from "./completion.ts";
import type { TurnEvent } from "../event/event.ts";
import {
  countTools,
  isToolFailure,
  isToolUsable,
  toolBadge,
  toolOutcome,
} from "./tool-outcomes.ts";

function call(attributes: TurnEvent["attributes"], more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: "e",
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    attributes,
    ...more,
  };
}

test("a stated outcome stands and has its badge", () => {
  for (const tool_outcome of toolOutcomes) {
    expect(toolOutcome(call({ tool_outcome }))).toBe(tool_outcome);
    expect(toolBadge(call({ tool_outcome }))).toBe(toolBadges[tool_outcome]);
  }
});

test("a stated success hides no failed status, fallback or limitation", () => {
  const stated = { tool_outcome: "success" };
  expect(toolOutcome(call(stated, { status: "error" }))).toBe("error");
  expect(toolOutcome(call({ ...stated, fallback_used: true }))).toBe("fallback");
  expect(toolOutcome(call({ ...stated, degraded: true }))).toBe("degraded");
  expect(toolOutcome(call({ ...stated, fallback_used: false, degraded: false }))).toBe("success");
});

test("flags speak where nothing is stated; silence stays unknown", () => {
  expect(toolOutcome(call({ fallback_used: true, degraded: true }))).toBe("fallback");
  expect(toolOutcome(call({ result_count: 0 }))).toBe("empty");
  expect(toolOutcome(call({}))).toBe("success");
  for (const status of ["unknown", "partial"] as const) {
    expect(toolOutcome(call({}, { status }))).toBeUndefined();
    expect(toolBadge(call({}, { status }))).toBeUndefined();
  }
});

test("fallback and degraded are usable but apart; a provider error is a failure", () => {
  const events = [
    ...toolOutcomes.map((tool_outcome) => call({ tool_outcome })),
    call({}, { status: "unknown" }),
    call({ tool_outcome: "success" }, { phase: "start" }),
  ];
  expect(countTools(events)).toEqual({
    results: 7,
    clean: 1,
    empty: 1,
    degraded: 1,
    fallback: 1,
    provider_error: 1,
    error: 1,
    unknown: 1,
  });
  expect(toolOutcomes.filter(isToolFailure)).toEqual(["provider_error", "error"]);
  expect(toolOutcomes.filter(isToolUsable)).toEqual(["success", "empty", "degraded", "fallback"]);
  expect(isToolUsable(undefined)).toBe(false);
});

test("a start is answered by its span, by its call id, or one by one, within its turn", () => {
  const start = { phase: "start", status: "started" } as const;
  const events = [
    call({}, { ...start, event_id: "s1:start", span_id: "marker" }),
    call({}, { event_id: "s1:result", span_id: "s1" }),
    call({ tool_call_id: "c1" }, { ...start, event_id: "2" }),
    call({ tool_call_id: "c1" }, { event_id: "3" }),
    call({}, { ...start, event_id: "4" }),
    call({}, { ...start, event_id: "5" }),
    call({}, { event_id: "6" }),
    call({}, { ...start, event_id: "7", span_id: "s2", turn_id: "a" }),
    call({}, { event_id: "8", span_id: "s2", turn_id: "b" }),
    call({}, { ...start, event_id: "9", span_id: "s3" }),
    call({}, { event_id: "10", span_id: "s3", event_kind: "model_call" }),
  ];
  expect(unfinishedStarts(events).map((event) => event.event_id)).toEqual(["5", "7", "9"]);
});
