/** Comparison: alignment, tolerance, results, and the limits of a partial candidate. */
import { describe, expect, test } from "vitest";

import { compareTraceWindows } from "./compare.ts";
import type { EventResource, TurnEvent } from "../event/event.ts";

const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete" as const,
};

function event(
  run: string,
  second: number,
  event_kind: TurnEvent["event_kind"],
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${run}-${second}`,
    event_kind,
    operation: event_kind,
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:00:${String(second).padStart(2, "0")}Z`,
    duration_ms: 100,
    span_id: `${run}-s${second}`,
    agent_id: "agent",
    thread_id: "thread",
    root_trace_id: run,
    turn_id: run,
    user_id: "user",
    ...extra,
    attributes: { ...extra.attributes },
  };
}

describe("operations", () => {
  test("are aligned by kind, operation and ordinal, whatever their ids", () => {
    const before = [event("a", 9, "turn"), event("a", 3, "tool_call", { parent_span_id: "a-s9" })];
    const after = [
      event("b", 19, "turn"),
      event("b", 13, "tool_call", { parent_span_id: "b-s19", status: "error", duration_ms: 900 }),
      event("b", 15, "tool_call", { parent_span_id: "b-s19" }),
    ];
    const { operations, counts, trust } = compareTraceWindows(before, after);
    const rows = operations.map((row) => [row.event_kind, row.ordinal, row.change, row.depth]);
    expect(rows).toEqual([
      ["turn", 1, "unchanged", 0],
      ["tool_call", 1, "changed", 1],
      ["tool_call", 2, "added", 1],
    ]);
    expect(operations[1]).toMatchObject({
      changed_fields: ["status"],
      parent_index: 0,
      ambiguous: true,
      duration_ms: { baseline: 100, candidate: 900, difference: 800, beyond_tolerance: true },
    });
    expect(counts).toMatchObject({ total: 3, matched: 2, added: 1, removed: 0, changed: 1 });
    expect(trust).toMatchObject({ matched_percent: 66.7, ambiguous_percent: 50 });
  });

  test("model, provider, finish reason and tokens are compared; unknown stays unknown", () => {
    const call = (run: string, attributes: TurnEvent["attributes"]): TurnEvent =>
      event(run, 1, "model_call", { attributes });
    const { operations, tokens } = compareTraceWindows(
      [call("a", { model: "m1", finish_reason: ["stop"], input_tokens: 10, output_tokens: 5 })],
      [call("b", { model: "m2", finish_reason: ["length"], input_tokens: 10 })],
    );
    expect(operations[0]).toMatchObject({
      changed_fields: ["model", "finish_reason", "output_tokens"],
      tokens: { baseline: 15, candidate: null, difference: null, beyond_tolerance: null },
    });
    expect(tokens.candidate).toBeNull();
  });

  const kinds = ["cache_decision", "memory_supply", "context_binding", "model_call"] as const;
  test.each([
    [
      kinds[0],
      "cache_decision",
      { cache_decision: "hit" },
      { cache_decision: "miss" },
      "hit",
      "miss",
    ],
    [kinds[0], "cache_bypass_reason", { cache_bypass_reason: "tools" }, {}, "tools", null],
    [kinds[1], "supplied_count", { supplied_count: 0 }, { supplied_count: 4 }, "0", "4"],
    [kinds[1], "history_count", { history_count: 2 }, {}, "2", null],
    [kinds[1], "memory_degraded", {}, { memory_degraded: true }, null, "true"],
    [
      kinds[2],
      "thread_binding_status",
      { thread_binding_status: "matched" },
      { thread_binding_status: "mismatch" },
      "matched",
      "mismatch",
    ],
    [kinds[2], "grounding_status", { grounding_status: "ready" }, {}, "ready", null],
    [
      kinds[2],
      "ownership",
      { ownership_verified: true },
      { ownership_verified: false },
      "1 verified",
      "1 failed",
    ],
    [kinds[3], "input_tokens", { input_tokens: 100 }, { input_tokens: 111 }, "100", "111"],
    [kinds[3], "total_tokens", { total_tokens: 10 }, { total_tokens: 20 }, "10", "20"],
    [kinds[3], "cached_tokens", { cached_tokens: 0 }, { cached_tokens: 1 }, "0", "1"],
    [kinds[3], "reasoning_tokens", { reasoning_tokens: 3 }, {}, "3", null],
  ] as const)("%s: %s is a change", (kind, field, was, is, baseline, candidate) => {
    const { operations, counts } = compareTraceWindows(
      [event("a", 1, kind, { attributes: was })],
      [event("b", 1, kind, { attributes: is })],
    );
    expect(operations[0]?.changes).toEqual([{ field, baseline, candidate }]);
    expect(counts).toMatchObject({ changed: 1, matched: 1 });
  });

  test("token counts within the tolerance are no change", () => {
    const call = (run: string, input_tokens: number): TurnEvent =>
      event(run, 1, "model_call", { attributes: { input_tokens } });
    expect(compareTraceWindows([call("a", 100)], [call("b", 110)]).counts.changed).toBe(0);
    expect(compareTraceWindows([call("a", 100)], [call("b", 90)]).counts.changed).toBe(0);
    const options = { toleranceRatio: 0 };
    expect(compareTraceWindows([call("a", 100)], [call("b", 101)], options).counts.changed).toBe(1);
  });

  test("ownership and provenance of references are counted, whatever their order", () => {
    const ref = { resource_type: "document", ref: "doc", version: "1" };
    const made = (run: string, input_refs: readonly EventResource[]): TurnEvent =>
      event(run, 1, "artifact", {
        input_refs,
        output_refs: [{ ...ref, ownership_verified: true }],
      });
    const verified = { ...ref, provenance_status: "verified" } as const;
    const missing = { ...ref, provenance_status: "missing", ownership_verified: false } as const;
    const { operations } = compareTraceWindows(
      [made("a", [verified, ref])],
      [made("b", [missing, verified])],
    );
    expect(operations[0]?.changes).toEqual([
      { field: "ownership", baseline: "1 verified", candidate: "1 failed, 1 verified" },
      { field: "provenance", baseline: "1 verified", candidate: "1 missing, 1 verified" },
    ]);
    const swapped = compareTraceWindows(
      [made("a", [missing, verified])],
      [made("b", [verified, missing])],
    );
    expect(swapped.counts.changed).toBe(0);
  });

  test("the same call of another model stands at the same place, and the model is the change", () => {
    const call = (run: string, second: number, model: string): TurnEvent =>
      event(run, second, "model_call", {
        operation: `chat ${model}`,
        parent_span_id: `${run}-s9`,
        attributes: { model },
      });
    const { operations, counts } = compareTraceWindows(
      [event("a", 9, "turn"), call("a", 1, "small-2"), call("a", 2, "small-2")],
      [event("b", 9, "turn"), call("b", 1, "small-3"), call("b", 2, "small-2")],
    );
    expect(counts).toMatchObject({ total: 3, matched: 3, added: 0, removed: 0, changed: 1 });
    expect(operations.map((row) => [row.operation, row.ordinal, row.changed_fields])).toEqual([
      ["turn", 1, []],
      ["chat", 1, ["model"]],
      ["chat small-2", 2, []],
    ]);
  });

  test("each side names the releases that wrote it, and none where nobody said", () => {
    const by = (run: string, second: number, service_version: string): TurnEvent =>
      event(run, second, "tool_call", { attributes: { service_version } });
    const before = [by("a", 1, "2.4.0"), by("a", 2, "2.3.0"), by("a", 3, "2.4.0")];
    const { releases } = compareTraceWindows(before, [event("b", 1, "turn")]);
    expect(releases).toEqual({ baseline: ["2.3.0", "2.4.0"], candidate: [] });
  });

  test("a difference inside the tolerance is not beyond it", () => {
    const both = [[event("a", 1, "turn")], [event("b", 1, "turn", { duration_ms: 104 })]] as const;
    expect(compareTraceWindows(...both).operations[0]?.duration_ms.beyond_tolerance).toBe(false);
    const strict = { toleranceMs: 1, toleranceRatio: 0 };
    const { operations } = compareTraceWindows(...both, strict);
    expect(operations[0]?.duration_ms.beyond_tolerance).toBe(true);
  });
});

describe("results", () => {
  const intent = (run: string): TurnEvent =>
    event(run, 1, "intent", { attributes: { expected_artifact_types: ["reply"] } });
  const artifact = (run: string, version: string): TurnEvent =>
    event(run, 2, "artifact", {
      attributes: { artifact_type: "reply", artifact_status: "created" },
      input_refs: [{ resource_type: "document", ref: "doc", version }],
      output_refs: [{ resource_type: "reply", ref: run, version: "1" }],
    });
  const contract = (run: string, recovery_used: boolean): TurnEvent => {
    const attributes = { contract_name: "feed", parser_status: "success", recovery_used };
    return event(run, 3, "contract", { attributes });
  };
  const delivery = (run: string, acknowledged: boolean | null): TurnEvent =>
    event(run, 4, "delivery", {
      attributes: { delivery_target: "browser", emitted: true, acknowledged },
    });

  test("sources, artifacts, contracts and deliveries are compared by what names them", () => {
    const compared = compareTraceWindows(
      [intent("a"), artifact("a", "1"), contract("a", false), delivery("a", true)],
      [intent("b"), artifact("b", "2"), contract("b", true), delivery("b", null)],
    );
    expect(compared.sources).toEqual([
      {
        resource_type: "document",
        ref: "doc",
        change: "changed",
        baseline_versions: ["1"],
        candidate_versions: ["2"],
      },
    ]);
    expect(compared.artifacts[0]).toMatchObject({ name: "reply", change: "unchanged" });
    expect(compared.contracts[0]).toMatchObject({ candidate: ["success recovered"] });
    expect(compared.deliveries[0]).toMatchObject({ candidate: ["emitted unknown"] });
  });

  test("a finding that is absent from a partial candidate is not established", () => {
    const before = [intent("a")];
    const after = [intent("b"), artifact("b", "1")];
    const presence = (candidateMetadata: typeof complete | null): unknown => {
      const options = { baselineMetadata: complete, candidateMetadata };
      const { diagnostics } = compareTraceWindows(before, after, options);
      return diagnostics.find(({ code }) => code === "artifact_missing")?.presence;
    };
    expect(presence(complete)).toBe("only_in_baseline");
    expect(presence({ ...complete, truncated: true })).toBe("not_established");
    expect(presence(null)).toBe("not_established");
    const { diagnostics } = compareTraceWindows(before, before);
    expect(diagnostics.find(({ code }) => code === "artifact_missing")?.presence).toBe("in_both");
  });

  test("each side's evidence of a code is told, and none where it does not have it", () => {
    const metadata = { baselineMetadata: complete, candidateMetadata: complete };
    const refused = [delivery("a", false)];
    const idsOf = (before: readonly TurnEvent[], after: readonly TurnEvent[]): unknown => {
      const { diagnostics } = compareTraceWindows(before, after, metadata);
      const found = diagnostics.find(({ code }) => code === "delivery_unconfirmed");
      return [found?.presence, found?.baseline_evidence_ids, found?.candidate_evidence_ids];
    };
    expect(idsOf(refused, [])).toEqual(["only_in_baseline", ["a-4"], []]);
    expect(idsOf([], refused)).toEqual(["only_in_candidate", [], ["a-4"]]);
    expect(idsOf(refused, refused)).toEqual(["in_both", ["a-4"], ["a-4"]]);
  });

  test("one window that was cut makes the comparison a cut one", () => {
    const cut = { ...complete, truncated: true };
    const truncated = (baselineMetadata: object, candidateMetadata: object): boolean =>
      compareTraceWindows([intent("a")], [intent("b")], { baselineMetadata, candidateMetadata })
        .trust.truncated;
    expect(truncated(complete, complete)).toBe(false);
    expect(truncated(cut, complete)).toBe(true);
    expect(truncated(complete, cut)).toBe(true);
  });

  test("an unknown trace is not found, never an empty success", () => {
    expect(compareTraceWindows([intent("a")], []).not_found).toEqual(["candidate"]);
    expect(compareTraceWindows([], []).trust.matched_percent).toBeNull();
  });
});
