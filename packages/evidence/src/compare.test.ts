/** Comparison: alignment, tolerance, results, and what a partial candidate does not establish. */
import { describe, expect, test } from "vitest";

import { compareTraceWindows } from "./compare.ts";
import type { TurnEvent } from "./event.ts";

const complete = { window_complete: true, truncated: false, normalization_errors: 0 };

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
      changed_fields: ["model", "finish_reason"],
      tokens: { baseline: 15, candidate: null, difference: null, beyond_tolerance: null },
    });
    expect(tokens.candidate).toBeNull();
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

  test("an unknown trace is not found, never an empty success", () => {
    expect(compareTraceWindows([intent("a")], []).not_found).toEqual(["candidate"]);
    expect(compareTraceWindows([], []).trust.matched_percent).toBeNull();
  });
});
