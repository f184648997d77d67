/**
 * Waterfall, comparison, health and lineage of windows that were written from the
 * requirements and the design alone.
 */
import {
  buildCausalWaterfall,
  buildLineage,
  buildTraceHealth,
  compareTraceWindows,
} from "@turnproof/evidence";
import type { WaterfallNode } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { artifact, as, at, contract, delivery, invoice, success, whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** An ended span. */
const span = (id: string, second: number, parent?: string, extra: Json = {}): Json =>
  at(
    second,
    "span",
    {},
    {
      event_id: `${id}:result`,
      phase: "result",
      span_id: id,
      ...(parent === undefined ? {} : { parent_span_id: parent }),
      ...extra,
    },
  );
const nodesOf = (events: readonly Json[]): readonly WaterfallNode[] =>
  buildCausalWaterfall(events).groups.flatMap(({ nodes }) => nodes);

describe("waterfall", () => {
  test("start and result of a span are one node, in pre-order", () => {
    const started = { event_id: "child:start", phase: "start", status: "started" };
    const nodes = nodesOf([
      span("child", 5, "root"),
      span("child", 2, "root", started),
      span("root", 9, undefined, { duration_ms: 9000 }),
    ]);
    expect(nodes.map((node) => [node.span_id, node.depth])).toEqual([
      ["root", 0],
      ["child", 1],
    ]);
    expect(nodes[1]).toMatchObject({
      event_ids: ["child:start", "child:result"],
      duration_ms: 3000,
    });
  });

  test("a missing parent and a missing cause are flagged, the root and a remote parent are not", () => {
    const nodes = nodesOf([
      span("root", 1),
      span("lost", 2, "nowhere"),
      span("far", 3, "elsewhere", { parent_remote: true }),
      span("caused", 4, "root", { caused_by_event_id: "no-such-event" }),
      span("well", 5, "root", { caused_by_event_id: "root:result" }),
    ]);
    const flags = (flag: "missing_parent" | "missing_cause"): unknown[] =>
      nodes.filter((node) => node[flag]).map((node) => node.span_id);
    expect(flags("missing_parent")).toEqual(["lost"]);
    expect(flags("missing_cause")).toEqual(["caused"]);
  });

  test("a circle is flagged and each of its nodes shown once", () => {
    const nodes = nodesOf([span("a", 1, "b"), span("b", 2, "c"), span("c", 3, "a")]);
    expect(nodes.map((node) => node.cycle)).toEqual([true, true, true]);
    expect(nodes.map((node) => node.depth)).toEqual([0, 1, 2]);
  });

  test("a start alone has no duration, and a point has none to measure", () => {
    const nodes = nodesOf([
      span("open", 1, undefined, { phase: "start", status: "started", event_id: "open:start" }),
      at(2, "feedback", { rating: 1 }),
    ]);
    expect(nodes.map(({ timing, duration_ms }) => [timing, duration_ms])).toEqual([
      ["missing_completion", null],
      ["instantaneous", 0],
    ]);
  });

  test.each(["turn_id", "thread_id", "user_id", "agent_id"])(
    "spans of another %s stay apart",
    (field) => {
      const { groups, counts } = buildCausalWaterfall([
        span("one", 1),
        span("one", 2, undefined, { [field]: "another" }),
      ]);
      expect(groups.map(({ nodes }) => nodes.length)).toEqual([1, 1]);
      expect(counts.nodes).toBe(2);
    },
  );

  test("a chain of 10,000 is as deep as it is", () => {
    const chain = Array.from({ length: 10_000 }, (_, i) =>
      span(`s${i}`, 1, i === 0 ? undefined : `s${i - 1}`),
    );
    expect(nodesOf(chain).at(-1)?.depth).toBe(9_999);
  });

  test("a child before its parent is kept and flagged", () => {
    const timed = (second: number): Json => ({ started_at: `2026-11-21T08:00:0${second}Z` });
    const nodes = nodesOf([
      span("root", 9, undefined, timed(5)),
      span("child", 8, "root", timed(2)),
    ]);
    expect(nodes.find((node) => node.span_id === "child")?.clock_skewed).toBe(true);
  });
});

describe("comparison", () => {
  const whole2 = { baselineMetadata: whole, candidateMetadata: whole };
  const call = (model: string, tokens: number, extra: Json = {}): Json =>
    at(
      5,
      "model_call",
      { model, total_tokens: tokens },
      {
        event_id: "call",
        phase: "result",
        span_id: "call",
        operation: "chat",
        ...extra,
      },
    );

  test("operations are aligned by their place, whatever their ids", () => {
    const other = as(success(), { root_trace_id: "other", turn_id: "other" });
    const renamed = other.map((event, i) => ({ ...event, event_id: `x${i}` }));
    const { counts, trust, diagnostics } = compareTraceWindows(success(), renamed, whole2);
    expect(counts).toMatchObject({ added: 0, removed: 0, changed: 0 });
    expect(trust.matched_percent).toBe(100);
    expect(diagnostics).toEqual([]);
  });

  test("another model is a change, and its tokens a difference", () => {
    const { operations } = compareTraceWindows([call("m-1", 100)], [call("m-2", 150)], whole2);
    expect(operations).toMatchObject([
      {
        change: "changed",
        changed_fields: ["model", "total_tokens"],
        tokens: { difference: 50, beyond_tolerance: true },
      },
    ]);
  });

  test("an operation more is added, one less removed", () => {
    const extra = at(
      6,
      "tool_call",
      { tool_name: "x" },
      { event_id: "t", phase: "result", span_id: "t" },
    );
    const added = compareTraceWindows([call("m", 1)], [call("m", 1), extra], whole2);
    expect(added.counts).toMatchObject({ added: 1, removed: 0 });
    const removed = compareTraceWindows([call("m", 1), extra], [call("m", 1)], whole2);
    expect(removed.counts).toMatchObject({ added: 0, removed: 1 });
  });

  test("a finding is gone only from a complete candidate", () => {
    const failed = success({ contract: contract({ parser_status: "failed" }) });
    const presence = (metadata: typeof whole): unknown =>
      compareTraceWindows(failed, success(), {
        ...whole2,
        candidateMetadata: metadata,
      }).diagnostics.find(({ code }) => code === "contract_parse_failed")?.presence;
    expect(presence(whole)).toBe("only_in_baseline");
    expect(presence({ ...whole, window_complete: false })).toBe("not_established");
    expect(presence({ ...whole, truncated: true })).toBe("not_established");
  });

  test("artifacts, parsers, deliveries and sources are compared by what names them", () => {
    const changed = success({
      artifact: artifact({ artifact_status: "failed" }),
      contract: contract({ parser_status: "partial" }),
      delivery: delivery({ acknowledged: false }),
    });
    const compared = compareTraceWindows(success(), changed, whole2);
    expect(compared.artifacts).toMatchObject([{ name: "invoice", change: "changed" }]);
    expect(compared.contracts).toMatchObject([{ name: "lines", change: "changed" }]);
    expect(compared.deliveries).toMatchObject([{ name: "portal", change: "changed" }]);
    expect(compared.sources.every(({ change }) => change === "unchanged")).toBe(true);
  });

  test("an empty side was not found, and is no empty success", () => {
    expect(compareTraceWindows([], success()).not_found).toEqual(["baseline"]);
    expect(compareTraceWindows([], []).not_found).toEqual(["baseline", "candidate"]);
  });
});

describe("health", () => {
  test("it counts what is missing", () => {
    const { thread_id: _thread, ...threadless } = at(1, "feedback", { rating: 1 });
    const health = buildTraceHealth(
      [threadless, span("a", 1, "lost"), span("b", 2, undefined, { caused_by_event_id: "no" })],
      {
        normalizationMetadata: whole,
        errors: [
          { code: "empty_bundle", count: 2 },
          { code: "provider_query_failed", count: 1 },
        ],
      },
    );
    expect(health).toMatchObject({
      normalized_events: 3,
      missing_identities: { thread_id: 1 },
      orphan_spans: 1,
      missing_causes: 1,
      failures_by_code: { empty_bundle: 2, provider_query_failed: 1 },
      normalization_failures: 2,
      query_failures: 1,
      kind_counts: { feedback: 1, span: 2 },
      schema_counts: { 3: 3 },
    });
  });

  test("an orphan is one only where its whole trace is in the window", () => {
    const orphans = (metadata: typeof whole | null): number =>
      buildTraceHealth([span("a", 1, "lost")], { normalizationMetadata: metadata }).orphan_spans;
    expect(orphans(whole)).toBe(1);
    expect(orphans({ ...whole, window_complete: false })).toBe(0);
    expect(orphans(null)).toBe(0);
  });

  test("losses are unknown until every producer has reported", () => {
    const unknown = { value: null, state: "unknown" };
    const numbered = (seq: number, producer: string): Json =>
      span(`${producer}${seq}`, seq, undefined, { producer_id: producer, producer_seq: seq });
    const report = (producer: string, dropped: number): Json =>
      at(
        9,
        "data_quality",
        { loss_created: 9, loss_dropped: dropped, write_failures: 0, sampled_out: 0 },
        {
          event_id: `report-${producer}`,
          producer_id: producer,
          producer_seq: 2,
        },
      );
    const dropped = (events: readonly Json[]): unknown => buildTraceHealth(events).dropped_events;
    expect(dropped(success())).toEqual(unknown);
    expect(buildTraceHealth(success()).write_failures).toEqual(unknown);
    expect(dropped([numbered(1, "p"), report("p", 3)])).toEqual({ value: 3, state: "known" });
    expect(dropped([numbered(1, "p"), report("p", 0)])).toEqual({ value: 0, state: "known" });
    expect(dropped([numbered(1, "p"), report("p", 0), numbered(1, "q")])).toEqual(unknown);
    expect(dropped([numbered(1, "p"), report("p", 0), span("foreign", 3)])).toEqual(unknown);
  });
});

describe("lineage", () => {
  test("an artifact rests on its sources and on theirs, circles are walked once", () => {
    const draft = { resource_type: "draft", ref: "draft-1", version: "1" };
    const events = [
      artifact({}, { input_refs: [draft] }),
      artifact(
        { artifact_type: "draft" },
        { event_id: "draft", input_refs: [invoice("1")], output_refs: [draft] },
      ),
    ];
    const [lineage, ...rest] = buildLineage(events, { ref: "invoice-5" });
    expect(rest).toEqual([]);
    expect(lineage?.nodes.map(({ ref, depth }) => [ref, depth])).toEqual([
      ["invoice-5", 0],
      ["draft-1", 1],
    ]);
    expect(lineage?.edges).toHaveLength(2);
  });

  test("the same ref of two tenants is two lineages", () => {
    const events = [artifact(), artifact({}, { event_id: "other", user_id: "customer-9" })];
    expect(buildLineage(events, { ref: "invoice-5" }).map(({ user_id }) => user_id)).toEqual([
      "customer-8",
      "customer-9",
    ]);
    expect(buildLineage(events, { ref: "invoice-5", userId: "customer-9" })).toHaveLength(1);
  });
});
