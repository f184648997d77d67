/**
 * What failed counts: verified outcomes, the end of the turn itself, failed stages, markers that
 * no search found, and intents that came after their delivery.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { at, contract, delivery, intent, success, whole, without } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const judged = (events: readonly unknown[], taskId: string | null = null): [string, string[]] => {
  const verdict = reconcileOutcome(events, { normalizationMetadata: whole, taskId });
  return [verdict.status, [...new Set(verdict.findings.map(({ code }) => code))].toSorted()];
};

const outcome = (second: number, stated: string, attributes: Json = {}, extra: Json = {}): Json =>
  at(
    second,
    "outcome",
    { outcome: stated, verified: true, source: "desk", ...attributes },
    {
      event_id: `outcome-${second}`,
      ...extra,
    },
  );
const turn = (extra: Json = {}): Json =>
  at(
    45,
    "turn",
    {},
    {
      event_id: "turn",
      phase: "result",
      span_id: "bbbbbbbbbbbbbb01",
      started_at: "2026-11-21T08:00:00Z",
      ...extra,
    },
  );

describe("verified outcomes", () => {
  test.each<[string, Json[]]>([
    ["a success", [outcome(50, "success")]],
    ["a failure that nobody verified", [outcome(50, "failure", { verified: false })]],
    ["a failure of an untrusted producer", [outcome(50, "failure", {}, { ingest_trusted: false })]],
    ["a failure that its source took back", [outcome(50, "failure"), outcome(51, "success")]],
    ["a failure of another turn", [outcome(50, "failure", {}, { turn_id: "round-2" })].slice(1)],
  ])("%s leaves a success", (_caption, outcomes) => {
    expect(judged([...success(), ...outcomes])[0]).toBe("success");
  });
  test.each<[string, Json[]]>([
    ["a failure", [outcome(50, "failure")]],
    ["a failure in other letters", [outcome(50, "Failed")]],
    ["an outcome that ended in error", [outcome(50, "done", {}, { status: "error" })]],
    ["a failure after a success", [outcome(50, "success"), outcome(51, "failure")]],
    [
      "a failure that another source denies",
      [outcome(50, "failure"), outcome(51, "success", { source: "audit" })],
    ],
    [
      "a failure under another external id",
      [
        outcome(50, "failure", {}, { external_id: "a" }),
        outcome(51, "success", {}, { external_id: "b" }),
      ],
    ],
  ])("%s is failed", (_caption, outcomes) => {
    expect(judged([...success(), ...outcomes])).toEqual(["failed", ["outcome_failed"]]);
  });
  test("a failure is judged where nothing else is on record", () => {
    expect(judged([outcome(50, "failure")])).toEqual(["failed", ["outcome_failed"]]);
  });
  test("a labelled failure is of its own task", () => {
    const window = [
      ...success().map((event) => ({ ...event, task_id: "a" })),
      outcome(50, "failure", {}, { task_id: "b" }),
    ];
    expect(judged(window)[0]).toBe("failed");
    expect(judged(window, "a")[0]).toBe("success");
  });
});

describe("the end of the turn", () => {
  test("a turn that ended well", () => {
    expect(judged([...success(), turn()])).toEqual(["success", []]);
  });
  test("one that ended in error is never a success", () => {
    expect(judged([...success(), turn({ status: "error" })])).toEqual(["failed", ["turn_failed"]]);
  });
  test("one that was cancelled after an acknowledged delivery is partial", () => {
    expect(judged([...success(), turn({ status: "partial" })])).toEqual([
      "partial",
      ["turn_cancelled"],
    ]);
  });
  test.each(["tool_call", "model_call"])(
    "a failed %s inside one that ended well is none",
    (kind) => {
      const call = at(
        15,
        kind,
        { tool_name: "unknown", tool_outcome: "error", error_type: "unknown_tool" },
        {
          event_id: "call",
          phase: "result",
          status: "error",
          span_id: "bbbbbbbbbbbbbb09",
          parent_span_id: "bbbbbbbbbbbbbb01",
        },
      );
      expect(judged([...success(), call, turn()])).toEqual(["success", []]);
      expect(judged([...success(), call, turn({ status: "partial" })])[0]).toBe("partial");
    },
  );
  test("an attempt that a later one supersedes does not count", () => {
    const again = turn({
      event_id: "again",
      span_id: "bbbbbbbbbbbbbb02",
      started_at: "2026-11-21T08:00:00.5Z",
      timestamp: "2026-11-21T08:00:46Z",
    });
    expect(judged([...success(), turn({ status: "error" }), again])[0]).toBe("success");
    expect(judged([...success(), turn(), { ...again, status: "error" }])[0]).toBe("failed");
  });
  test("attempts of one producer follow its numbers where its times run backwards", () => {
    const begun = (id: string, ms: number, seq: number, extra: Json = {}): Json => ({
      ...turn({ event_id: id, span_id: id, phase: "start", status: "started" }),
      started_at: undefined,
      timestamp: `2026-11-21T08:00:0${ms}Z`,
      producer_id: "web",
      producer_seq: seq,
      ...extra,
    });
    const end = { phase: "result", status: "success" };
    const window = [
      ...success({ intent: intent({}, { producer_id: "web", producer_seq: 1 }) }),
      begun("first", 1, 2),
      begun("first", 1, 3, { ...end, event_id: "first-end", status: "error" }),
      begun("second", 2, 4),
      begun("second", 3, 5, { ...end, event_id: "second-end" }),
    ];
    const late = { timestamp: "2026-11-21T08:00:09Z" };
    expect(judged(window)).toEqual(["success", []]);
    expect(
      judged(window.map((one) => (one["event_id"] === "intent" ? { ...one, ...late } : one))),
    ).toEqual(["success", []]);
  });
  test("the end of a turn without the task that is asked for says nothing of it", () => {
    const labelled = success().map((event) => ({ ...event, task_id: "a" }));
    const other = success().map((event) => ({ ...event, turn_id: "other", task_id: "b" }));
    const ended = turn({ turn_id: "other", status: "error" });
    expect(judged([...labelled, ...other, ended], "a")).toEqual(["success", []]);
    expect(judged([...labelled, ...other, ended], "b")[0]).toBe("failed");
  });
  test("a nested turn does not count", () => {
    const nested = turn({
      event_id: "nested",
      span_id: "bbbbbbbbbbbbbb03",
      parent_span_id: "bbbbbbbbbbbbbb04",
      started_at: "2026-11-21T08:00:02Z",
      status: "error",
    });
    const between = at(
      3,
      "span",
      {},
      { span_id: "bbbbbbbbbbbbbb04", parent_span_id: "bbbbbbbbbbbbbb01", phase: "result" },
    );
    expect(judged([...success(), turn(), between, nested])[0]).toBe("success");
    expect(judged([...success(), turn(), nested])[0]).toBe("failed");
  });
});

describe("stages", () => {
  const profile = { coverage_profile: "chat_response" };
  const call = (status: string): Json =>
    at(6, "model_call", { model: "m" }, { phase: "result", span_id: "cccccccccccccc01", status });
  const missing = (events: Json[]): readonly string[] =>
    reconcileOutcome(events, { normalizationMetadata: whole }).missing_stages;
  test("a failed model call is no stage", () => {
    const requested = success({ intent: intent(profile) });
    expect(missing([...requested, call("success")])).toEqual([]);
    expect(missing([...requested, call("error")])).toEqual(["model_call_result"]);
  });
  test("a failed outcome is no stage", () => {
    const requested = [at(1, "context_binding", {}), at(2, "tool_call", {}, { phase: "result" })];
    const events = [
      ...success({ intent: intent({ coverage_profile: "content_ingestion" }) }),
      ...requested,
    ];
    expect(missing([...events, outcome(50, "success")])).toEqual([]);
    expect(missing([...events, outcome(50, "failure")])).toEqual(["outcome"]);
  });
});

describe("markers", () => {
  test.each(["opening_marker_found", "closing_marker_found"])("%s", (marker) => {
    const absent = success({ contract: without(contract(), marker) });
    expect(judged(absent)).toEqual(["partial", ["contract_incomplete"]]);
    expect(judged(success({ contract: contract({ [marker]: false }) }))).toEqual([
      "partial",
      ["contract_incomplete"],
    ]);
    const unmarked = without(contract({ unmarked: true }), marker);
    expect(judged(success({ contract: unmarked }))).toEqual(["success", []]);
    expect(judged(success({ contract: without(contract({ unmarked: false }), marker) }))[0]).toBe(
      "partial",
    );
  });
});

describe("an intent after its delivery", () => {
  const at41 = { timestamp: "2026-11-21T08:00:41Z" };
  test("does not cover it", () => {
    expect(judged(success({ intent: intent({}, at41) }))).toEqual([
      "partial",
      ["intent_after_delivery"],
    ]);
  });
  test("covers a fresh one", () => {
    const again = delivery({}, { event_id: "again", timestamp: "2026-11-21T08:00:42Z" });
    expect(judged([...success({ intent: intent({}, at41) }), again])).toEqual(["success", []]);
  });
});

test.each<[string, Json[]]>([
  [
    "two attempts above each other",
    [
      { span_id: "a", parent_span_id: "b" },
      { span_id: "b", parent_span_id: "a" },
    ],
  ],
  ["an attempt above itself", [{ span_id: "a", parent_span_id: "a" }]],
])("%s hide no failure", (_caption, attempts) => {
  const failed = attempts.map((extra) =>
    turn({ status: "error", event_id: `turn-${String(extra["span_id"])}`, ...extra }),
  );
  expect(judged([...success(), ...failed])).toEqual(["failed", ["turn_failed"]]);
});
