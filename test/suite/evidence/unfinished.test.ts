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
const reported = (verdict: Verdict): [string, string[], string | null] => [
  verdict.status,
  verdict.findings.map(({ code, priority }) => `${code} P${priority}`),
  verdict.open_until,
];

const open = ["turn_open P1"];
const unfinished = ["turn_unfinished P0"];

test("a turn that ended is a success at any time", () => {
  for (const seconds of [null, 60, 86_400]) {
    expect(reported(judge([...success(), began, ended], seconds))).toEqual(["success", [], null]);
  }
});

describe("a turn that did not end", () => {
  const events = [...success(), began];
  test("is open within 15 minutes of its last event, and unfinished after that", () => {
    expect(reported(judge(events, 940))).toEqual(["partial", open, clock(940)]);
    expect(reported(judge(events, 941))).toEqual(["partial", unfinished, null]);
  });
  test("is open where no mark says what time it is", () => {
    expect(judge(events, null).findings.map(({ code }) => code)).toEqual(["turn_open"]);
  });
  test("has the limit of its agent", () => {
    const turn_limits = { default_ms: 5_000, agents: { clerk: 60_000 } };
    expect(reported(judge(events, 100, { turn_limits }))).toEqual(["partial", open, clock(100)]);
    expect(reported(judge(events, 101, { turn_limits }))[1]).toEqual(unfinished);
    expect(reported(judge(events, 46, { turn_limits: { default_ms: 5_000 } }))[1]).toEqual(
      unfinished,
    );
    const named = events.map((event) => ({ ...event, agent_id: "constructor" }));
    const none = { turn_limits: { agents: {} } };
    expect(reported(judge(named, 900, none))).toEqual(["partial", open, clock(940)]);
  });
  test.each(["producer_heartbeat", "loss_report"])("is open while its process sends %s", (code) => {
    const alive = [...events, report(3_600, code)];
    expect(reported(judge(alive, 3_690))).toEqual(["partial", open, clock(3_690)]);
    expect(reported(judge(alive, 3_691))[1]).toEqual(unfinished);
    const other = [...events, report(3_600, code, { producer_id: "p2" })];
    expect(reported(judge(other, 3_610))[1]).toEqual(unfinished);
  });
  test("takes any report of losses for a sign of life, and nothing else", () => {
    const counted = report(3_600, "other", { attributes: { loss_created: 0 } });
    expect(reported(judge([...events, counted], 3_690))[1]).toEqual(open);
    expect(reported(judge([...events, report(3_600, "other")], 3_690))[1]).toEqual(unfinished);
  });
  test("is open by the latest report, in whatever order they are read", () => {
    const reports = [3_600, 50].map((seconds) => report(seconds, "producer_heartbeat"));
    for (const read of [reports, reports.toReversed()]) {
      expect(judge([...events, ...read], 3_690).open_until).toBe(clock(3_690));
    }
  });
  test("is open by when a report was received, where that is known", () => {
    const sent = report(50, "producer_heartbeat", { received_at: clock(3_600) });
    expect(judge([...events, sent], 3_690).open_until).toBe(clock(3_690));
  });
  test("is open until the later of its limit and its process", () => {
    const early = report(50, "producer_heartbeat");
    expect(judge([...events, early], 100).open_until).toBe(clock(940));
  });
  test("is told by the first of several that would be unfinished", () => {
    const second = { thread_id: "dialog-9", root_trace_id: "d2", event_id: "second" };
    const later = { ...began, ...second, timestamp: clock(60), producer_id: "p9" };
    for (const read of [
      [...events, later],
      [later, ...events],
    ]) {
      expect(judge(read, 100).open_until).toBe(clock(940));
    }
  });
  test("takes what its reader knows of processes", () => {
    const producers = [{ producer_id: "p1", first: clock(0), last: clock(3_600) }];
    expect(reported(judge(events, 3_690, { producers }))[1]).toEqual(open);
  });
  test("is unfinished at once when its process was started anew", () => {
    const instance = { attributes: { service_instance_id: "pod-1" } };
    const lives = [...events, report(50, "producer_heartbeat", instance)];
    const next = report(70, "producer_heartbeat", { ...instance, producer_id: "p2" });
    expect(reported(judge(lives, 80))[1]).toEqual(open);
    expect(reported(judge([...lives, next], 80))[1]).toEqual(unfinished);
    const elsewhere = {
      ...next,
      attributes: { ...(next["attributes"] as Json), service_instance_id: "pod-2" },
    };
    expect(reported(judge([...lives, elsewhere], 80))[1]).toEqual(open);
    // Two that report at the same time are replicas, and another service is another process.
    const replica = { ...next, timestamp: clock(50) };
    expect(reported(judge([...lives, replica], 80))[1]).toEqual(open);
    const sidecar = { ...next, service_name: "sidecar" };
    expect(reported(judge([...lives, sidecar], 80))[1]).toEqual(open);
    const before = { ...next, event_id: "before", timestamp: clock(40) };
    expect(reported(judge([...lives, next, before], 80))[1]).toEqual(open);
    const nameless = [
      report(50, "producer_heartbeat"),
      { ...next, attributes: { quality_code: "producer_heartbeat" } },
    ];
    expect(reported(judge([...events, ...nameless], 80))[1]).toEqual(open);
  });
  test("knows a life by the instance and the service of any of its reports", () => {
    const named = { attributes: { service_instance_id: "pod-1" }, service_name: "web" };
    const first = report(50, "producer_heartbeat", named);
    const silent = report(55, "producer_heartbeat", { service_name: "web" });
    const next = report(70, "producer_heartbeat", { ...named, producer_id: "p2" });
    expect(reported(judge([...events, first, silent, next], 80))[1]).toEqual(unfinished);
  });
  test("is kept open by a recorded wait for a person, until that ends", () => {
    const wait = at(
      44,
      "queue_transition",
      { queue_status: "waiting_for_human" },
      { event_id: "wait" },
    );
    expect(reported(judge([...events, wait], 80_000))[1]).toEqual(open);
    expect(reported(judge([...events, wait], 87_000))[1]).toEqual(unfinished);
    const back = at(46, "queue_transition", { queue_status: "resumed" }, { event_id: "back" });
    expect(reported(judge([...events, wait, back], 80_000))[1]).toEqual(unfinished);
    expect(reported(judge([...events, back, wait], 80_000))[1]).toEqual(unfinished);
    const limits = { turn_limits: { human_wait_ms: 3_600_000 } };
    expect(judge([...events, wait], 100, limits).open_until).toBe(clock(3_644));
    const short = { turn_limits: { human_wait_ms: 1_000 } };
    expect(judge([...events, wait], 100, short).open_until).toBe(clock(944));
  });
  test("is kept open by an action that waits for a person, until that action ends", () => {
    const requesting = at(
      44,
      "application_action",
      { queue_status: "waiting_for_human" },
      { event_id: "asking", phase: "start", status: "started", span_id: "dddddddddddddd01" },
    );
    expect(reported(judge([...events, requesting], 80_000))[1]).toEqual(open);
    const answered = at(
      46,
      "application_action",
      {},
      { event_id: "answered", phase: "result", span_id: "dddddddddddddd01" },
    );
    expect(reported(judge([...events, requesting, answered], 80_000))[1]).toEqual(unfinished);
    const other = { ...answered, span_id: "dddddddddddddd02" };
    expect(reported(judge([...events, requesting, other], 80_000))[1]).toEqual(open);
    const event = { ...answered, phase: "event" };
    expect(reported(judge([...events, requesting, event], 80_000))[1]).toEqual(open);
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
    expect(reported(judge([began], 86_400))).toEqual(["unknown", unfinished, null]);
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
