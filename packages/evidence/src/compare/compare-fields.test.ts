/**
 * @module Changed facts of one operation: which fields of which kind, and what is within
 * tolerance.
 */
import { describe, expect, test } from "vitest";

import { fieldChanges } from "./compare-fields.ts";
import type { EventResource, TurnEvent } from "../event/event.ts";

function event(
  kind: TurnEvent["event_kind"],
  attributes: object = {},
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: "e",
    event_kind: kind,
    phase: "result",
    status: "success",
    timestamp: "2026-01-01T00:00:00Z",
    ...extra,
    attributes,
  };
}

const changed = (
  kind: TurnEvent["event_kind"],
  was: object,
  is: object,
  ratio = 0.1,
): readonly (readonly [string, string | null, string | null])[] =>
  fieldChanges(event(kind, was), event(kind, is), ratio).map((change) => [
    change.field,
    change.baseline,
    change.candidate,
  ]);

const common = ["tool_outcome", "outcome", "tool_name", "provider", "model"];
const supply = [
  "retrieved_count",
  "supplied_count",
  "referenced_count",
  "history_count",
  "profile_count",
  "preference_count",
  "cross_thread_count",
  "summary_count",
  "writing_sample_count",
  "memory_degraded",
  "memory_fallback_used",
];
const binding = [
  "client_page_type",
  "canonical_page_type",
  "thread_binding_status",
  "grounding_status",
  "grounding_source",
  "grounding_excerpt_count",
];
const usage = [
  "total_tokens",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
];
const cache = ["cache_decision", "cache_bypass_reason"];

test.each([
  ["turn", usage],
  ["tool_call", []],
  ["cache_decision", cache],
  ["context_binding", binding],
  ["memory_retrieval", supply],
  ["memory_selection", supply],
  ["memory_supply", supply],
  ["memory_reference", supply],
  ["model_call", usage],
] as const)("the fields of %s are the common ones and its own", (kind, own) => {
  const every = [...common, ...supply, ...binding, ...usage, ...cache];
  const reported = every.filter((field) => changed(kind, { [field]: 7 }, {}).length > 0);
  expect(reported.toSorted()).toEqual([...common, ...own].toSorted());
  for (const field of reported)
    expect(changed(kind, { [field]: 7 }, {})).toEqual([[field, "7", null]]);
});

test("lists are told as a whole, and the status of every kind", () => {
  expect(changed("turn", { finish_reason: ["stop", "length"] }, { finish_reason: [] })).toEqual([
    ["finish_reason", "stop length", ""],
  ]);
  const failed = event("turn", {}, { status: "error" });
  expect(fieldChanges(event("turn"), failed, 0)).toEqual([
    { field: "status", baseline: "success", candidate: "error" },
  ]);
  expect(fieldChanges(failed, failed, 0)).toEqual([]);
});

describe("tokens", () => {
  const fields = (was: object, is: object, ratio?: number): string[] =>
    changed("model_call", was, is, ratio).map(([field]) => field);
  test("a total is told only where neither side tells its parts", () => {
    const parts = { input_tokens: 10 };
    expect(fields({ total_tokens: 10 }, { total_tokens: 99 })).toEqual(["total_tokens"]);
    expect(fields({ total_tokens: 10, ...parts }, { total_tokens: 99, ...parts })).toEqual([]);
    expect(fields({ total_tokens: 10, ...parts }, { total_tokens: 99 })).toEqual(["input_tokens"]);
    expect(fields({ total_tokens: 10 }, { total_tokens: 99, ...parts })).toEqual(["input_tokens"]);
  });
  test("a count that one side does not know is a change, and none where neither does", () => {
    expect(fields({ output_tokens: 0 }, {})).toEqual(["output_tokens"]);
    expect(fields({}, { output_tokens: 0 })).toEqual(["output_tokens"]);
    expect(fields({}, {})).toEqual([]);
  });
});

describe("words on references", () => {
  const ref = (word: Partial<EventResource> = {}): EventResource => ({
    resource_type: "document",
    ref: "d",
    ...word,
  });
  const reported = (attributes: object, extra: Partial<TurnEvent>): unknown => {
    const [first, ...more] = fieldChanges(event("turn"), event("turn", attributes, extra), 0);
    expect(more).toEqual([]);
    return first?.candidate;
  };
  const unowned = ref({ ownership_verified: false });
  test("count what is used and what is made, and the event's own word", () => {
    expect(reported({}, { input_refs: [unowned] })).toBe("1 failed");
    expect(reported({}, { output_refs: [unowned, unowned] })).toBe("2 failed");
    expect(reported({ ownership_verified: true }, { input_refs: [unowned] })).toBe(
      "1 failed, 1 verified",
    );
    const statuses = ["verified", "failed", "missing", "unverified"] as const;
    const refs = statuses.map((provenance_status) => ref({ provenance_status }));
    expect(reported({}, { input_refs: refs.slice(0, 2), output_refs: refs.slice(2) })).toBe(
      "1 failed, 1 missing, 1 unverified, 1 verified",
    );
  });
  test("silence of the references is as good as no references", () => {
    expect(reported({}, { input_refs: [ref()], output_refs: [ref()] })).toBeUndefined();
    expect(reported({}, { input_refs: [] })).toBeUndefined();
  });
});
