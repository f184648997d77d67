/** @module Coverage profiles: who declared one decides what it asks of. */
import { expect, test } from "vitest";

import { readCoverage } from "./coverage.ts";
import type { TurnEvent } from "./event.ts";

const read = { readCompleteness: "complete" } as const;
const identity = { agent_id: "a", user_id: "u", thread_id: "t", turn_id: "n", root_trace_id: "r" };

function event(kind: TurnEvent["event_kind"], extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    ...identity,
    schema_version: 3,
    event_id: `${kind}-${extra.task_id ?? ""}`,
    event_kind: kind,
    phase: "result",
    status: "success",
    timestamp: "2026-01-01T00:00:00Z",
    attributes: {},
    ...extra,
  };
}

const delivered = [
  event("intent", { task_id: "task" }),
  event("model_call"),
  event("contract", { task_id: "task" }),
  event("delivery", { task_id: "task" }),
];

test("a profile that the turn declares asks of the whole turn, whatever the task", () => {
  const turn = event("turn", { attributes: { coverage_profile: "interactive_response" } });
  const whole = readCoverage([turn, ...delivered], read);
  expect(whole.profiles.map((profile) => profile.missing_stages)).toEqual([[]]);
  expect(whole.instrumentation).toBe("complete");
  const cut = readCoverage([turn, ...delivered.slice(0, 3)], read);
  expect(cut.profiles.map((profile) => profile.missing_stages)).toEqual([["delivery"]]);
});

test("a profile of an intent asks of its own task: another task's delivery is not its own", () => {
  const intent = event("intent", {
    task_id: "task",
    attributes: { coverage_profile: "interactive_response" },
  });
  const moved = event("delivery", { task_id: "other" });
  const { profiles } = readCoverage([intent, ...delivered.slice(1, 3), moved], read);
  expect(profiles.map((profile) => profile.missing_stages)).toEqual([["delivery"]]);
});

test("nothing declared is unknown, never complete", () => {
  expect(readCoverage(delivered, read)).toMatchObject({ instrumentation: "unknown", profiles: [] });
});
