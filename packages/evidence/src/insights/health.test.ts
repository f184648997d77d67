/** Health: loss accounting per producer, and the counts of one pass over a window. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { buildTraceHealth, parentlessRoots } from "./health.ts";
import type { HealthOptions } from "./health.ts";

function event(seq: number, extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `event-${extra.producer_id ?? "p"}-${seq}`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:00:${String(seq).padStart(2, "0")}Z`,
    producer_id: "p",
    producer_seq: seq,
    agent_id: "agent",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: "turn",
    ...extra,
    attributes: { ...extra.attributes },
  };
}

function report(seq: number, dropped: number, extra: Partial<TurnEvent> = {}): TurnEvent {
  const attributes = { loss_created: 9, loss_dropped: dropped, sampled_out: 0, write_failures: 0 };
  return event(seq, { event_kind: "data_quality", phase: "event", ...extra, attributes });
}

describe("loss accounting", () => {
  const unknown = { value: null, state: "unknown" };

  test("losses are unknown until every producer has reported", () => {
    expect(buildTraceHealth([event(1)]).dropped_events).toEqual(unknown);
    const silent = event(1, { producer_id: "q" });
    const half = buildTraceHealth([event(1), report(2, 0), silent]);
    expect(half.dropped_events).toEqual(unknown);
    expect(half.write_failures).toEqual(unknown);
    expect(half.producers.map(({ producer_id, state }) => [producer_id, state])).toEqual([
      ["p", "nothing_lost"],
      ["q", "unknown"],
    ]);
    const whole = buildTraceHealth([
      event(1),
      report(2, 0),
      silent,
      report(2, 3, { producer_id: "q" }),
    ]);
    expect(whole.dropped_events).toEqual({ value: 3, state: "known" });
    expect(whole.write_failures).toEqual({ value: 0, state: "known" });
  });

  test("events without a producer keep the whole unknown", () => {
    const { producer_id: _, producer_seq: __, ...foreign } = event(7);
    expect(buildTraceHealth([event(1), report(2, 0), foreign]).dropped_events).toEqual(unknown);
  });

  test("a gap in the numbers counts, unless the window was filtered", () => {
    const events = [event(1), event(2), event(5), report(6, 0)];
    const health = buildTraceHealth(events);
    expect(health.producers[0]).toMatchObject({ state: "lost", lost: 2, sequence_gaps: 2 });
    expect(health.dropped_events).toEqual({ value: 2, state: "known" });
    const filtered = buildTraceHealth(events, { filtered: true });
    expect(filtered.producers[0]).toMatchObject({ state: "unknown", lost: null });
    expect(filtered.dropped_events).toEqual(unknown);
  });

  test("what a producer itself accounts for is known, whatever was read of it", () => {
    const reported = report(9, 2, { producer_id: "p" });
    const events = [event(1), event(2), event(5), { ...reported, producer_seq: 6 }];
    const filtered = buildTraceHealth(events, { filtered: true });
    expect(filtered.producers[0]).toMatchObject({ state: "lost", lost: 2, sequence_gaps: 2 });
  });

  test("in a part, who exported or dropped all that it made is known; who still has some is not", () => {
    const { producer_seq: _, ...reported } = report(9, 0);
    const lossOf = (more: Partial<TurnEvent["attributes"]>, seqs = [1, 2, 5]): unknown =>
      buildTraceHealth(
        [
          ...seqs.map((seq) => event(seq)),
          {
            ...reported,
            attributes: { ...reported.attributes, loss_exported: 9, last_seq: 9, ...more },
          },
        ],
        { filtered: true },
      ).producers[0];
    expect(lossOf({})).toMatchObject({ state: "nothing_lost", lost: 0, sequence_gaps: 2 });
    expect(lossOf({ loss_exported: 8, loss_dropped: 1 })).toMatchObject({ state: "lost", lost: 1 });
    expect(lossOf({ loss_exported: 8 })).toMatchObject({ state: "unknown", lost: null });
    // Events made after its report are in no accounting.
    expect(lossOf({}, [1, 2, 12])).toMatchObject({ state: "unknown", lost: null });
    expect(lossOf({ last_seq: undefined as never })).toMatchObject({ state: "unknown" });
  });

  test("numbers that were given and never arrived are lost, but for what still waits", () => {
    const { producer_seq: _, ...reported } = report(9, 0);
    const tail = (more: Partial<TurnEvent["attributes"]>): TurnEvent => ({
      ...reported,
      attributes: { ...reported.attributes, loss_created: 9, last_seq: 9, ...more },
    });
    const numbers = [1, 2, 3, 4, 5].map((seq) => event(seq));
    const lossOf = (end: TurnEvent, filtered = false): unknown =>
      buildTraceHealth([...numbers, end], { filtered }).producers[0];
    expect(lossOf(tail({ loss_exported: 9 }))).toMatchObject({ lost: 4, sequence_gaps: 4 });
    expect(lossOf(tail({ loss_exported: 6 }))).toMatchObject({ lost: 1, sequence_gaps: 4 });
    expect(lossOf(tail({ loss_exported: 5 }))).toMatchObject({ state: "nothing_lost" });
    expect(lossOf(tail({ loss_exported: 9 }), true)).toMatchObject({ lost: 0, sequence_gaps: 0 });
  });

  test("producers are told apart by application where they do not name themselves", () => {
    const nameless = (application: string): TurnEvent => {
      const { producer_id: _, producer_seq: __, ...rest } = event(3);
      return { ...rest, event_id: `of-${application}`, application_id: application };
    };
    const worker = { producer_id: "w", application_id: "shop" };
    const own = report(2, 3, { producer_id: "w", application_id: "worker" });
    const reasons = { loss_reasons: ["queue_full"], loss_reason_counts: [3] };
    const health = buildTraceHealth([
      nameless("till"),
      nameless("desk"),
      event(1, worker),
      { ...own, attributes: { ...own.attributes, ...reasons } },
    ]);
    expect(
      health.producers.map((p) => [p.producer_id, p.application_ids, p.reported?.reasons]),
    ).toEqual([
      [null, ["desk"], undefined],
      [null, ["till"], undefined],
      ["w", ["worker", "shop"], { queue_full: 3 }],
    ]);
  });

  test("the last report of a producer holds: its counters are totals", () => {
    const health = buildTraceHealth([report(3, 4), event(1), report(2, 1)]);
    expect(health.dropped_events).toEqual({ value: 4, state: "known" });
  });
});

test("counts what is there, what is missing and what was refused", () => {
  const { thread_id: _, ...threadless } = event(2, { dialect: "gen_ai", user_id: null });
  const health = buildTraceHealth(
    [
      event(1, { span_id: "a", parent_span_id: "nowhere", dropped: { attribute_unknown: 3 } }),
      { ...threadless, identity_derived: ["turn_id"] },
      { ...event(1), span_id: "a", parent_span_id: "nowhere", dropped: { attribute_unknown: 3 } },
      "no event",
      event(3, { attributes: { coverage_profile: "chat_response" } }),
      event(4, { dropped: { "what the customer wrote": 1 } }),
    ],
    {
      errors: [{ code: "provider_query_failed", count: 1, source_store: "tool_log" }],
      sourceRows: 5,
      compatibilityFallback: true,
      queries: [{ source_store: "trace", duration_ms: 4, rows: 5, failed: false }],
    },
  );
  expect(health).toMatchObject({
    normalized_events: 4,
    source_rows: 5,
    bundle_count: null,
    duplicates_removed: 1,
    schema_counts: { "3": 4 },
    kind_counts: { tool_call: 4 },
    dialect_counts: { unknown: 3, gen_ai: 1 },
    missing_identities: { thread_id: 1, user_id: 3, application_id: 4 },
    derived_identities: 1,
    missing_stages: ["model_call_result"],
    orphan_spans: 0,
    parents_beyond_window: 1,
    dropped_attributes: { attribute_unknown: 3, other: 1 },
    normalization_failures: 1,
    query_failures: 1,
    compatibility_fallback: true,
    latest_event_at: "2026-11-21T10:00:04Z",
    latest_received_at: null,
  });
  expect(health.window.read_completeness).toBe("untrusted");
});

describe("orphans", () => {
  const whole = {
    window_complete: true,
    truncated: false,
    normalization_errors: 0,
    read_completeness: "complete" as const,
  };
  const lost = (root_trace_id: string, second: number): TurnEvent =>
    event(second, { root_trace_id, span_id: `${root_trace_id}-s`, parent_span_id: "nowhere" });
  const both = [lost("one", 1), lost("two", 2)];
  const counted = (events: readonly TurnEvent[], options: HealthOptions): unknown => {
    const { orphan_spans, parents_beyond_window } = buildTraceHealth(events, options);
    return { orphan_spans, parents_beyond_window };
  };

  test("are counted where the window is complete", () => {
    const normalizationMetadata = whole;
    expect(counted(both, { normalizationMetadata })).toEqual({
      orphan_spans: 2,
      parents_beyond_window: 0,
    });
  });

  test.each([
    ["nothing proves that the window is complete", {}],
    ["the window is filtered", { normalizationMetadata: whole, filtered: true }],
    ["the window is truncated", { normalizationMetadata: { ...whole, truncated: true } }],
    ["it is a page", { normalizationMetadata: { ...whole, window_complete: false } }],
  ])("are none where %s", (_why, options) => {
    expect(counted(both, options)).toEqual({ orphan_spans: 0, parents_beyond_window: 2 });
  });

  test("are counted trace by trace where somebody knows which are whole", () => {
    const options = { filtered: true, isWhole: (root: string) => root === "two" };
    expect(counted(both, options)).toEqual({ orphan_spans: 1, parents_beyond_window: 1 });
    expect(parentlessRoots([...both, ...both, event(3)])).toEqual(["one", "two"]);
  });
});
