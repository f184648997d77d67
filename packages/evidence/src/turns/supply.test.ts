/** Retrieved, supplied, referenced: three separate stages, and never zero for unknown. */
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { readSupply } from "./supply.ts";

function memory(
  event_kind: TurnEvent["event_kind"],
  attributes: TurnEvent["attributes"],
  more: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: "e",
    event_kind,
    phase: "event",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    attributes,
    ...more,
  };
}

test("nothing recorded is not measured, on every stage", () => {
  const supply = readSupply([memory("model_call", {})]);
  const none = { state: "not_measured", value: null };
  expect(supply).toMatchObject({ retrieved: none, supplied: none, referenced: none });
  expect(supply).toMatchObject({ degraded: null, fallback_used: null, supply_events: 0 });
});

test("a stage's own events decide; the supply event speaks where there are none", () => {
  const stated = memory("memory_supply", {
    retrieved_count: 9,
    supplied_count: 4,
    referenced_count: 0,
  });
  expect(readSupply([stated])).toMatchObject({
    retrieved: { state: "known", value: 9 },
    supplied: { state: "known", value: 4 },
    referenced: { state: "known", value: 0 },
  });
  const own = [
    memory("memory_retrieval", {}, { phase: "start" }),
    memory("memory_retrieval", { retrieved_count: 3 }),
    memory("memory_retrieval", { retrieved_count: 4 }),
    memory("memory_reference", { referenced_count: 2 }),
    stated,
  ];
  expect(readSupply(own)).toMatchObject({
    retrieved: { state: "known", value: 7 },
    referenced: { state: "known", value: 2 },
  });
});

test("sources keep their counts; tone and samples can never be called unused", () => {
  const supply = readSupply([
    memory("memory_supply", {
      history_count: 2,
      preference_count: 1,
      writing_sample_count: 0,
      memory_degraded: true,
      memory_fallback_used: false,
      preference_names: ["tone", "length"],
    }),
  ]);
  expect(supply.supplied).toEqual({ state: "partial", value: 3 });
  const of = (name: string) => supply.sources.find(({ source }) => source === name);
  expect(of("history")).toEqual({
    source: "history",
    supplied: { state: "known", value: 2 },
    reference_state: "measured",
  });
  expect(of("preference")?.reference_state).toBe("not_measured");
  expect(of("writing_sample")).toMatchObject({
    supplied: { state: "known", value: 0 },
    reference_state: "not_measured",
  });
  expect(of("summary")?.supplied).toEqual({ state: "not_measured", value: null });
  expect(supply).toMatchObject({ degraded: true, fallback_used: false });
  expect(supply.preference_names).toEqual(["length", "tone"]);
});
