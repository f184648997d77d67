/**
 * Unfinished: a turn, or what produces a requested artifact, that began and did not end is open
 * while its process reports or within its limit, and never a success.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import type { Verdict, WindowMetadata } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { at, success, whole, work } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const clock = (seconds: number): string =>
  new Date(Date.parse("2026-11-21T08:00:00Z") + seconds * 1_000).toISOString();
const span = { span_id: "bbbbbbbbbbbbbb01", producer_id: "p1" };
const began = at(
  0,
  "turn",
  {},
  { event_id: "bbbbbbbbbbbbbb01:start", phase: "start", status: "started", ...span },
);
const ended = at(
  45,
  "turn",
  {},
  { event_id: "end", phase: "result", started_at: clock(0), ...span },
);
const report = (seconds: number, code: string, extra: Json = {}): Json =>
  at(
    0,
    "data_quality",
    { quality_code: code, ...(extra["attributes"] as Json) },
    {
      event_id: `report-${seconds}`,
      timestamp: clock(seconds),
      producer_id: "p1",
      root_trace_id: "5d2f1c0b7a6e4d5c8b3a291807f6e5d4",
      ...extra,
    },
  );

const judge = (
  events: readonly unknown[],
  seconds: number | null,
  more: Partial<WindowMetadata> = {},
): Verdict =>
  reconcileOutcome(events, {
    normalizationMetadata: {
      ...whole,
      ...(seconds === null ? {} : { as_of: clock(seconds) }),
      ...more,
    },
  });
const told = (verdict: Verdict): [string, string[], string | null] => [
  verdict.status,
  verdict.findings.map(({ code, priority }) => `${code} P${priority}`),
  verdict.open_until,
];

const open = ["turn_open P1"];
const unfinished = ["turn_unfinished P0"];

test("a turn that ended is a success at any time", () => {
  for (const seconds of [null, 60, 86_400]) {
    expect(told(judge([...success(), began, ended], seconds))).toEqual(["success", [], null]);
  }
});

describe("a turn that did not end", () => {
  const events = [...success(), began];
  test("is open within 15 minutes of its last event, and unfinished after that", () => {
    expect(told(judge(events, 940))).toEqual(["partial", open, clock(940)]);
    expect(told(judge(events, 941))).toEqual(["partial", unfinished, null]);
  });
  test("is open where no mark says what time it is", () => {
    expect(judge(events, null).findings.map(({ code }) => code)).toEqual(["turn_open"]);
  });
  test("has the limit of its agent", () => {
    const turn_limits = { default_ms: 5_000, agents: { clerk: 60_000 } };
    expect(told(judge(events, 100, { turn_limits }))).toEqual(["partial", open, clock(100)]);
    expect(told(judge(events, 101, { turn_limits }))[1]).toEqual(unfinished);
    expect(told(judge(events, 46, { turn_limits: { default_ms: 5_000 } }))[1]).toEqual(unfinished);
  });
  test.each(["producer_heartbeat", "loss_report"])("is open while its process sends %s", (code) => {
    const alive = [...events, report(3_600, code)];
    expect(told(judge(alive, 3_690))).toEqual(["partial", open, clock(3_690)]);
    expect(told(judge(alive, 3_691))[1]).toEqual(unfinished);
    const other = [...events, report(3_600, code, { producer_id: "p2" })];
    expect(told(judge(other, 3_610))[1]).toEqual(unfinished);
  });
  test("takes what its reader knows of processes", () => {
    const producers = [{ producer_id: "p1", first: clock(0), last: clock(3_600) }];
    expect(told(judge(events, 3_690, { producers }))[1]).toEqual(open);
  });
  test("is unfinished at once when its process was started anew", () => {
    const instance = { attributes: { service_instance_id: "pod-1" } };
    const lives = [...events, report(50, "producer_heartbeat", instance)];
    const next = report(70, "producer_heartbeat", { ...instance, producer_id: "p2" });
    expect(told(judge(lives, 80))[1]).toEqual(open);
    expect(told(judge([...lives, next], 80))[1]).toEqual(unfinished);
    const elsewhere = {
      ...next,
      attributes: { ...(next["attributes"] as Json), service_instance_id: "pod-2" },
    };
    expect(told(judge([...lives, elsewhere], 80))[1]).toEqual(open);
  });
  test("is kept open by a recorded wait for a person, until that ends", () => {
    const wait = at(
      44,
      "queue_transition",
      { queue_status: "waiting_for_human" },
      { event_id: "wait" },
    );
    expect(told(judge([...events, wait], 80_000))[1]).toEqual(open);
    expect(told(judge([...events, wait], 87_000))[1]).toEqual(unfinished);
    const back = at(46, "queue_transition", { queue_status: "resumed" }, { event_id: "back" });
    expect(told(judge([...events, wait, back], 80_000))[1]).toEqual(unfinished);
  });
  test("is superseded by a later attempt that ended", () => {
    const again = {
      ...ended,
      event_id: "again",
      span_id: "bbbbbbbbbbbbbb02",
      started_at: clock(1),
    };
    expect(judge([...events, again], 86_400).status).toBe("success");
    expect(
      judge([...events, { ...again, started_at: clock(-1), timestamp: clock(-0.5) }], 86_400)
        .status,
    ).toBe("partial");
  });
  test("is visible where nothing else is on record", () => {
    expect(told(judge([began], 86_400))).toEqual(["unknown", unfinished, null]);
  });
});

describe("what produces a requested artifact", () => {
  const running = work({}, { phase: "start", status: "started", producer_id: "p1" });
  test("is open, then unfinished", () => {
    const events = success({ work: running });
    const codes = (seconds: number): string[] =>
      judge(events, seconds).findings.map(({ code }) => code);
    expect(codes(900)).toEqual(["artifact_producer_incomplete", "turn_open"]);
    expect(codes(941)).toEqual(["artifact_producer_incomplete", "turn_unfinished"]);
  });
  test("a background job does not count", () => {
    const job = work(
      {},
      { event_id: "job", span_id: "cccccccccccccc01", phase: "start", status: "started" },
    );
    expect(judge([...success(), job], 86_400).status).toBe("success");
  });
});
