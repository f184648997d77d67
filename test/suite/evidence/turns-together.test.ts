/** @module TurnsTogether: several turns and tasks of one window, and how one affects another. */
import { reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent, Verdict } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { artifact, requests, began, by, ended, made, shows, reported } from "./artifact-rows.ts";
import { whole } from "./text-windows.ts";
import { event } from "./turn-event.ts";

type Extra = Partial<TurnEvent>;

const done = [requests(), began, ended, artifact(), shows()];
const inOther = (one: TurnEvent): TurnEvent => ({
  ...one,
  event_id: `other-${one.event_id}`,
  thread_id: "other",
  root_trace_id: "other-root",
});
const judge = (events: readonly TurnEvent[], taskId: string | null = null): Verdict =>
  reconcileOutcome(events, {
    normalizationMetadata: { ...whole, as_of: "2026-01-01T01:00:00Z" },
    taskId,
  });
const stated = (verdict: Verdict): string =>
  [verdict.status, ...new Set(verdict.findings.map(({ code }) => code))].join(" ");
const labelled = (task_id: string, events: readonly TurnEvent[]): TurnEvent[] =>
  events.map((one) => ({
    ...one,
    task_id,
    event_id: `${one.event_id}-${task_id}`,
    ...(one.span_id === undefined ? {} : { span_id: `${one.span_id}-${task_id}` }),
    attributes:
      one.attributes.producing_span_id === undefined
        ? one.attributes
        : { ...one.attributes, producing_span_id: `span-${task_id}` },
  }));

const turn = (phase: "start" | "result", extra: Extra): TurnEvent =>
  event("turn", 5, {}, { phase, span_id: "turn", event_id: `turn-${phase}`, ...extra });
const refusing = {
  resource: { resource_type: "document", ref: "x", version: "1", provenance_status: "missing" },
  selected: true,
} as const;
const outcome = event("outcome", 30, { outcome: "failure", verified: true, source: "desk" }, {});

/** What a turn may hold without any task, and how it is judged where nothing else is on record. */
const ofTurns: readonly (readonly [string, TurnEvent, string])[] = [
  [
    "ownership",
    event("context_binding", 2, { ownership_verified: false }, {}),
    "ownership_unverified",
  ],
  [
    "provenance",
    event("memory_selection", 2, {}, { selection_ledger: [refusing] }),
    "provenance_missing",
  ],
  ["a failed turn", turn("result", { status: "error" }), "turn_failed"],
  ["a cancelled turn", turn("result", { status: "partial" }), "turn_cancelled"],
  ["an unfinished turn", turn("start", { status: "started" }), "turn_unfinished"],
];

describe.each(ofTurns)("%s of a turn without a task", (_caption, one, code) => {
  test("keeps no other turn from success", () => {
    expect(stated(judge([...done, inOther(one)]))).toBe("success");
    expect(stated(judge([inOther(one), ...done]))).toBe("success");
  });
  test("is told where nothing else is on record", () => {
    expect(stated(judge([one]))).toBe(`unknown ${code}`);
  });
  test("keeps its own turn from success", () => {
    const verdict = judge([...done, one]);
    expect(verdict.status).not.toBe("success");
    expect(verdict.findings.map((finding) => finding.code)).toContain(code);
  });
  test("keeps each task of its turn from success, and no task of another turn", () => {
    const tasks = [...labelled("a", done), ...labelled("b", done)];
    expect(judge(tasks, "a").status).toBe("success");
    const verdict = judge([...tasks, one], "a");
    expect(verdict.status).not.toBe("success");
    expect(verdict.findings.map((finding) => finding.code)).toContain(code);
    expect(judge([...tasks, one]).status).toBe(verdict.status);
    expect(judge([...tasks, inOther(one)], "a").status).toBe("success");
  });
});

test("an open turn without a task is told until when it is open", () => {
  const open = turn("start", { status: "started" });
  const metadata = { ...whole, as_of: "2026-01-01T00:01:00Z" };
  const untilOf = (events: readonly TurnEvent[], taskId: string | null = null): string | null =>
    reconcileOutcome(events, { normalizationMetadata: metadata, taskId }).open_until;
  expect(untilOf([open])).toMatch(/^2026-01-01T00:15:05/);
  expect(untilOf([...labelled("a", done), open], "a")).toMatch(/^2026-01-01T00:15:20/);
  const later = { ...inOther(open), timestamp: "2026-01-01T00:00:40Z" };
  expect(untilOf([...done, open, later])).toMatch(/^2026-01-01T00:15:20/);
  expect(untilOf([later, ...done, open])).toMatch(/^2026-01-01T00:15:20/);
  // A turn of another thread whose name comes first, and that is open for longer.
  const before = { ...later, thread_id: "a", root_trace_id: "a" };
  expect(untilOf([before, ...done, open])).toMatch(/^2026-01-01T00:15:20/);
});

describe("a verified outcome that failed", () => {
  test("fails every task of its turn, and its own where it has a label", () => {
    expect(judge([...done, outcome]).status).toBe("failed");
    const tasks = [...labelled("a", done), ...labelled("b", done)];
    expect(judge([...tasks, outcome], "a").status).toBe("failed");
    expect(judge([...tasks, { ...outcome, task_id: "b" }], "a").status).toBe("success");
    expect(judge([...tasks, { ...outcome, task_id: "b" }]).status).toBe("failed");
  });
  test("of a turn without a task is failed alone, and nothing beside other turns", () => {
    expect(stated(judge([outcome]))).toBe("failed outcome_failed");
    expect(stated(judge([...done, inOther(outcome)]))).toBe("success");
  });
});

describe("one task that is asked for", () => {
  test("rests on nothing of a turn that does not have it", () => {
    const other = [requests(), began].map(inOther);
    expect(stated(judge([...labelled("a", done), ...other], "a"))).toBe("success");
    expect(judge(done, "a")).toMatchObject({ status: "unknown", findings: [], chain: [] });
    expect(judge(labelled("a", done), "a").chain.map(({ task_id }) => task_id)).toEqual(
      Array.from({ length: 3 }, () => "a"),
    );
    expect(judge(done).chain.map(({ task_id }) => task_id)).toEqual([null, null, null]);
  });
  test("misses no stage of another one", () => {
    const profiled = (task: string, profile: string): TurnEvent => {
      const one = requests([], 1, { task_id: task, event_id: `asks-${task}` });
      return { ...one, attributes: { coverage_profile: profile } };
    };
    const profiles = new Map([
      ["full", ["cache_decision"] as const],
      ["plain", [] as const],
    ]);
    const events = [profiled("a", "plain"), profiled("b", "full")];
    const missing = (taskId: string | null): readonly string[] =>
      reconcileOutcome(events, { normalizationMetadata: whole, taskId, profiles }).missing_stages;
    expect(missing("a")).toEqual([]);
    expect(missing("b")).toEqual(missing(null));
    expect(missing("b").length).toBeGreaterThan(0);
  });
});

describe("a producer that is ahead", () => {
  const ahead: Extra = {
    producer_id: "fast",
    received_at: "2026-01-01T00:00:05Z",
  };
  const note = (events: readonly TurnEvent[]) =>
    judge(events)
      .findings.filter(({ code }) => code === "clock_ahead")
      .map(({ evidence_ids, identity, effect }) => [evidence_ids, identity["thread_id"], effect]);
  test("is told once in each turn that it speaks in, with what it said there", () => {
    const early = requests(["reply"], 1, { ...by("fast", 1), event_id: "in-time" });
    const fast = shows(20, [made("1")], { producer_id: "slow" });
    const cause = event("tool_call", 9, {}, { ...ahead, event_id: "fast-call" });
    const window = [early, began, ended, artifact(), fast, cause];
    expect(note(window)).toEqual([[["fast-call", "in-time"], "thread", "note"]]);
    expect(note([...window, ...done.map(inOther)])).toHaveLength(1);
    expect(note([...done.map(inOther), ...window])).toHaveLength(1);
    expect(note([...window, { ...inOther(cause), event_id: "there" }])).toHaveLength(2);
  });
});

describe("links", () => {
  const chain = (events: readonly TurnEvent[]): string[] =>
    judge(events).chain.map(({ link, name, state, evidence_ids }) =>
      [link, name ?? "-", state, ...evidence_ids].join(" "),
    );
  test("stand by sort, superseded ones last, then by name, state and evidence", () => {
    const older = artifact(5, {}, { event_id: "older" });
    const note = artifact(
      11,
      { artifact_type: "note" },
      { event_id: "note", output_refs: [made("1", "note-1", "note")] },
    );
    const second = artifact(10, {}, { event_id: "second", output_refs: [made("1", "reply-2")] });
    const refs = [made("1"), made("1", "note-1", "note"), made("1", "reply-2")];
    const window = [
      requests(["reply", "note"]),
      began,
      ended,
      older,
      second,
      artifact(),
      note,
      shows(20, refs),
    ];
    const expected = [
      "intent - present intent-1",
      "artifact note present note",
      "artifact reply present artifact-10",
      "artifact reply present second",
      "artifact reply superseded older",
      "delivery - present delivery-20",
    ];
    expect(chain(window)).toEqual(expected);
    expect(chain(window.toReversed())).toEqual(expected);
  });
  test("name at most 32 events", () => {
    const many = Array.from({ length: 40 }, (_, at) => shows(15, [], { event_id: `early-${at}` }));
    expect(judge([...done, ...many]).chain.map(({ evidence_ids }) => evidence_ids.length)).toEqual([
      1, 1, 1, 32,
    ]);
  });
  test("of one turn stand before those of the next, of one task before those of the next", () => {
    const tasks = [...labelled("b", done), ...labelled("a", done)];
    const order = (events: readonly TurnEvent[]): string[] =>
      judge(events).chain.map(({ identity, task_id }) =>
        [identity["thread_id"], task_id ?? "-"].join(" "),
      );
    const expected = ["other -", "thread a", "thread b"].flatMap((one) => [one, one, one]);
    expect(order([...tasks, ...done.map(inOther)])).toEqual(expected);
    expect(order([...done.map(inOther), ...tasks.toReversed()])).toEqual(expected);
  });
});

describe("evidence that no intent asked for", () => {
  const unrequested = [began, ended, artifact(), shows()].map(inOther);
  test("is told where nothing else keeps the verdict from success, and keeps it from it", () => {
    expect(stated(judge([...done, ...unrequested]))).toBe("partial intent_missing");
    const failing = done.toSpliced(4, 1);
    expect(stated(judge([...failing, ...unrequested]))).toBe("partial delivery_missing");
  });
  test("names what was made and delivered", () => {
    expect(reported(unrequested)[1]).toBe("intent_missing? other-artifact-10 other-delivery-20");
  });
});
