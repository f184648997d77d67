/** Replay plan and learning: what is refused, and what recurs. */
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { findLearningCandidates, readCandidates } from "./learning.ts";
import { buildReplayPlan } from "./replay-plan.ts";

const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete" as const,
};

function event(second: number, extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `event-${second}`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:00:0${second}Z`,
    span_id: `span-${second}`,
    user_id: "user",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: "turn",
    ...extra,
    attributes: { tool_name: "search", ...extra.attributes },
  };
}

test("describes a complete, trusted window of one tenant, with everything off", () => {
  const events = [event(2, { parent_span_id: "span-1" }), event(1, { event_kind: "turn" })];
  const plan = buildReplayPlan(events, { normalizationMetadata: complete });
  expect(plan).toMatchObject({
    inert: true,
    execution: "off",
    network: "off",
    side_effects: "off",
    user_id: "user",
    tools: ["search"],
  });
  expect(plan.steps.map(({ event_id, inside_step }) => [event_id, inside_step])).toEqual([
    ["event-1", null],
    ["event-2", 1],
  ]);
});

test.each([
  ["a plain list", [event(1)], null],
  ["an incomplete window", [event(1)], { ...complete, window_complete: false }],
  ["a truncated window", [event(1)], { ...complete, truncated: true }],
  ["an untrusted window", [event(1), "junk"], complete],
  ["two tenants", [event(1), event(2, { user_id: null })], complete],
  ["nothing to describe", [], complete],
])("refuses %s", (_, events, normalizationMetadata) => {
  expect(() => buildReplayPlan(events, { normalizationMetadata })).toThrow("replay_plan_refused");
});

test("refuses the unattributed, and takes the anonymous", () => {
  const { user_id: _, ...unattributed } = event(1);
  const options = { normalizationMetadata: complete };
  expect(() => buildReplayPlan([unattributed], options)).toThrow("replay_plan_refused");
  expect(buildReplayPlan([event(1, { user_id: null })], options).user_id).toBeNull();
});

test("a recurring workflow is a candidate, and its lifecycle is read from learning events", () => {
  const row = (thread_id: string, at: number): TurnEvent[] => [
    event(at, { thread_id, turn_id: thread_id }),
    event(at + 1, { thread_id, turn_id: thread_id, attributes: { tool_name: "write" } }),
  ];
  const events = [...row("t1", 1), ...row("t2", 3)];
  const [candidate, ...rest] = findLearningCandidates(events);
  expect(rest).toEqual([]);
  expect(candidate).toMatchObject({ tools: ["search", "write"], threads: 2, turns: 2 });
  expect(findLearningCandidates(events.toReversed())[0]?.candidate_ref).toBe(
    candidate?.candidate_ref,
  );
  const candidate_ref = candidate?.candidate_ref ?? "";
  const lifecycle = (at: number, learning_event: string): TurnEvent =>
    event(at, { event_kind: "learning", attributes: { candidate_ref, learning_event } });
  const states = readCandidates([
    lifecycle(8, "skill_promoted"),
    lifecycle(7, "skill_candidate_created"),
  ]);
  expect(states).toEqual([
    {
      candidate_ref,
      learning_event: "skill_promoted",
      lifecycle_state: null,
      event_ids: ["event-7", "event-8"],
    },
  ]);
});
