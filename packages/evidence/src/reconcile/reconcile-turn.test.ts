/** @module How turns end: which attempts count, and which outcomes. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { reconcileOutcome } from "./reconcile.ts";
import { isTroubled } from "./reconcile-turn.ts";

const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
  as_of: "2026-01-02T00:00:00Z",
} as const;

function event(
  event_id: string,
  second: number,
  event_kind: TurnEvent["event_kind"],
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id,
    event_kind,
    phase: "event",
    status: "success",
    timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
    application_id: "app",
    agent_id: "agent",
    user_id: "user",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: "turn",
    attributes: {},
    ...extra,
  };
}

const reply = { resource_type: "reply", ref: "reply-1", version: "1" };
const delivered: readonly TurnEvent[] = [
  event("intent", 1, "intent", { attributes: { expected_artifact_types: ["reply"] } }),
  event("work", 2, "application_action", { phase: "result", span_id: "work" }),
  event("artifact", 3, "artifact", {
    attributes: {
      persistence_verified: true,
      producing_span_id: "work",
      source_independent: true,
    },
    output_refs: [reply],
  }),
  event("delivery", 4, "delivery", {
    attributes: { emitted: true, acknowledged: true },
    input_refs: [reply],
  }),
];

const judge = (...events: TurnEvent[]): string => {
  const window = [...delivered, ...events];
  const verdict = reconcileOutcome(window, { normalizationMetadata: complete });
  const again = reconcileOutcome(window.toReversed(), { normalizationMetadata: complete });
  expect(again).toEqual(verdict);
  const codes = verdict.findings.map(({ code }) => code);
  return [verdict.status, ...new Set(codes)].join(" ");
};

type Status = TurnEvent["status"];

/** Start and end of a run of the turn. */
function run(
  span: string,
  from: number,
  to: number,
  status: Status,
  extra: Partial<TurnEvent> = {},
): TurnEvent[] {
  const of = { span_id: span, ...extra };
  return [
    event(`${span}-begin`, from, "turn", { phase: "start", status: "started", ...of }),
    event(`${span}-end`, to, "turn", { phase: "result", status, ...of }),
  ];
}

describe("a turn that is troubled", () => {
  const [begin, end] = run("s", 1, 2, "success") as [TurnEvent, TurnEvent];
  test("began and did not end, or did not end well", () => {
    expect(isTroubled([])).toBe(false);
    expect(isTroubled([end])).toBe(false);
    expect(isTroubled([begin, end])).toBe(false);
    expect(isTroubled([end, begin])).toBe(false);
    expect(isTroubled([begin])).toBe(true);
    expect(isTroubled([begin, { ...end, span_id: "other" }])).toBe(true);
    expect(isTroubled([begin, { ...end, status: "error" }])).toBe(true);
    expect(isTroubled([{ ...end, status: "partial" }])).toBe(true);
  });
});

describe("attempts", () => {
  const failed = "failed turn_failed";
  test("the one that began last and the one that ended last decide", () => {
    expect(judge(...run("a", 0, 5, "error"), ...run("b", 6, 9, "success"))).toBe("success");
    expect(judge(...run("a", 0, 5, "success"), ...run("b", 6, 9, "error"))).toBe(failed);
    expect(judge(...run("a", 0, 9, "error"), ...run("b", 1, 5, "success"))).toBe(failed);
    expect(judge(...run("a", 0, 9, "success"), ...run("b", 1, 5, "error"))).toBe(failed);
    const three = [...run("a", 0, 3, "error"), ...run("b", 1, 9, "success")];
    expect(judge(...three, ...run("c", 4, 8, "success"))).toBe("success");
  });
  test("one that was cancelled is no success", () => {
    expect(judge(...run("a", 0, 9, "partial"))).toBe("partial turn_cancelled");
    expect(judge(...run("a", 0, 5, "partial"), ...run("b", 6, 9, "success"))).toBe("success");
  });
  test("one that did not end is unfinished, unless a later one ended", () => {
    const [begun] = run("a", 0, 9, "success") as [TurnEvent];
    expect(judge(begun)).toBe("partial turn_unfinished");
    expect(judge(begun, ...run("b", 6, 9, "success"))).toBe("success");
  });
  test("the end tells the start where no start is recorded", () => {
    const ended = (span: string, from: string, to: number, status: Status): TurnEvent =>
      event(span, to, "turn", {
        phase: "result",
        status,
        span_id: span,
        started_at: `2026-01-01T00:00:${from}Z`,
      });
    const early = ended("a", "00", 5, "error");
    expect(judge(early, ended("b", "06", 9, "success"))).toBe("success");
    expect(judge(early, ended("b", "06", 9, "error"))).toBe(failed);
    // The one that ended first began last.
    const long = ended("c", "01", 20, "success");
    expect(judge(long, ended("d", "10", 15, "error"))).toBe(failed);
  });
  test("without spans the last word counts", () => {
    const word = (id: string, second: number, status: Status): TurnEvent =>
      event(id, second, "turn", { phase: "result", status });
    expect(judge(word("a", 5, "error"), word("b", 9, "success"))).toBe("success");
    expect(judge(word("a", 5, "success"), word("b", 9, "error"))).toBe(failed);
  });
});

describe("nested turns", () => {
  const outer = run("outer", 0, 9, "success");
  const inner = (parent_span_id: string, span = "inner"): TurnEvent[] =>
    run(span, 5, 6, "error", { parent_span_id });
  const step = (span_id: string, parent_span_id: string): TurnEvent =>
    event(`step-${span_id}`, 4, "span", { phase: "result", span_id, parent_span_id });
  test("do not count, however deep they are", () => {
    expect(judge(...outer, ...inner("outer"))).toBe("success");
    const steps = [step("one", "outer"), step("two", "one")];
    expect(judge(...outer, ...steps, ...inner("two"))).toBe("success");
    expect(judge(...outer, ...steps, ...inner("two"), ...inner("two", "beside"))).toBe("success");
    expect(judge(...outer, ...inner("outer"), ...inner("inner", "third"))).toBe("success");
  });
  test("are those alone that stand below another run of the turn", () => {
    const failed = "failed turn_failed";
    const last = (parent?: string): TurnEvent[] =>
      run("last", 5, 20, "error", parent === undefined ? {} : { parent_span_id: parent });
    expect(judge(...outer, ...last())).toBe(failed);
    expect(judge(...outer, ...last("elsewhere"))).toBe(failed);
    expect(judge(...outer, step("one", "elsewhere"), ...last("one"))).toBe(failed);
    const beside = run("more", 6, 21, "error", { parent_span_id: "one" });
    expect(judge(...outer, step("one", "elsewhere"), ...last("one"), ...beside)).toBe(failed);
    const circle = [step("one", "two"), step("two", "one")];
    expect(judge(...outer, ...circle, ...last("one"))).toBe(failed);
    expect(judge(...outer, step("one", "last"), ...last("one"))).toBe(failed);
  });
});

describe("verified outcomes", () => {
  const outcome = (
    second: number,
    stated: string,
    extra: Partial<TurnEvent> = {},
    source = "tickets",
  ): TurnEvent =>
    event(`outcome-${second}`, second, "outcome", {
      attributes: { verified: true, outcome: stated, source },
      ...extra,
    });
  const failed = "failed outcome_failed";
  test("the latest of one source and external id counts", () => {
    expect(judge(outcome(10, "failure"))).toBe(failed);
    expect(judge(outcome(10, "failure"), outcome(11, "accepted"))).toBe("success");
    expect(judge(outcome(10, "accepted"), outcome(11, "failure"))).toBe(failed);
    expect(judge(outcome(10, "failure"), outcome(12, "accepted"), outcome(11, "failure"))).toBe(
      "success",
    );
    expect(judge(outcome(10, "accepted", { status: "error" }))).toBe(failed);
  });
  test("another source or another id takes no failure back", () => {
    expect(judge(outcome(10, "failure"), outcome(11, "accepted", {}, "audit"))).toBe(failed);
    expect(judge(outcome(10, "failure"), outcome(11, "accepted", { external_id: "x" }))).toBe(
      failed,
    );
    const same = { external_id: "x" };
    expect(judge(outcome(10, "failure", same), outcome(11, "accepted", same))).toBe("success");
  });
  test("of two producers whose times and receipts disagree none is established", () => {
    const early = outcome(10, "failure", {
      producer_id: "p",
      received_at: "2026-01-01T00:00:30Z",
    });
    const late = outcome(11, "accepted", {
      producer_id: "q",
      received_at: "2026-01-01T00:00:20Z",
    });
    expect(judge(early, late)).toBe("partial order_not_established");
    expect(judge({ ...early, attributes: late.attributes }, late)).toBe("success");
  });
});
