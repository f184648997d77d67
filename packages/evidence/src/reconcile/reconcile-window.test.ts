/** @module Trust in a window: which metadata is required, and what each field can invalidate. */
import { describe, expect, test } from "vitest";

import { reconcileOutcome } from "./reconcile.ts";
import type { WindowTrust } from "./reconcile-window.ts";

const whole = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
} as const;

const turn = { agent_id: "a", user_id: "u", thread_id: "t", turn_id: "n", root_trace_id: "r" };
const intent = {
  ...turn,
  schema_version: 3,
  event_id: "i",
  event_kind: "intent",
  phase: "event",
  status: "success",
  timestamp: "2026-01-01T00:00:10Z",
  producer_id: "p",
  attributes: { expected_artifact_types: ["reply"] },
};

const judge = (metadata: object | null, events: readonly unknown[] = [intent]) =>
  reconcileOutcome(events, { normalizationMetadata: metadata });
const trust = (change: object, events?: readonly unknown[]): WindowTrust =>
  judge({ ...whole, ...change }, events).window;

test("a window of which all is said is complete", () => {
  const complete = { complete: true, read_completeness: "complete", reasons: [] };
  expect(trust({})).toEqual(complete);
  const absent = { sampled_out: null, known_loss: null, losses: null, coverage: null };
  expect(trust({ ...absent, sampled_out: 0, known_loss: 0 })).toEqual(complete);
  expect(trust(absent)).toEqual(complete);
  expect(trust({ normalization_errors: [] })).toEqual(complete);
  for (const coverage of [{ read_completeness: "complete" }, "complete", {}, 7]) {
    expect(trust({ coverage, read_completeness: "complete" })).toEqual(complete);
  }
  expect(trust({ read_completeness: null, coverage: "complete" })).toEqual(complete);
});

test("without metadata nothing is known of how it was read", () => {
  expect(judge(null).window).toEqual({
    complete: false,
    read_completeness: "unknown",
    reasons: ["metadata_missing"],
  });
});

describe("what is said against it", () => {
  test.each<[object, string, string]>([
    [{ window_complete: false }, "window_incomplete", "partial"],
    [{ window_complete: "true" }, "window_incomplete", "partial"],
    [{ truncated: true }, "truncated", "partial"],
    [{ truncated: "no" }, "truncated", "partial"],
    [{ normalization_errors: 2 }, "normalization_errors", "untrusted"],
    [{ normalization_errors: [{ code: "x" }] }, "normalization_errors", "untrusted"],
    [{ read_completeness: "partial" }, "read_incomplete", "partial"],
    [{ read_completeness: "untrusted" }, "read_incomplete", "untrusted"],
    [{ coverage: { read_completeness: "partial" } }, "read_incomplete", "partial"],
    [{ coverage: { read_completeness: "untrusted" } }, "read_incomplete", "untrusted"],
    [{ coverage: "partial" }, "read_incomplete", "partial"],
    [{ sampled_out: 1 }, "sampled_out", "partial"],
    [{ sampled_out: "some" }, "sampled_out", "partial"],
    [{ known_loss: 1 }, "known_loss", "partial"],
  ])("%j is %s", (change, reason, read_completeness) => {
    expect(trust(change)).toEqual({ complete: false, read_completeness, reasons: [reason] });
  });
  test("something that is no event makes it untrusted", () => {
    expect(trust({}, [intent, { event_kind: "?" }])).toEqual({
      complete: false,
      read_completeness: "untrusted",
      reasons: ["events_rejected"],
    });
  });
  test("all reasons are told, in the order of the alphabet", () => {
    const change = { truncated: true, sampled_out: 1, known_loss: 1, window_complete: false };
    const reasons = ["known_loss", "sampled_out", "truncated", "window_incomplete"];
    expect(trust(change).reasons).toEqual(reasons);
  });
});

describe("losses that a reader knows", () => {
  const began = { ...intent, event_id: "b", event_kind: "turn", phase: "start", status: "started" };
  const ended = { ...began, event_id: "e", phase: "result", status: "success" };
  const loss = (change: object): readonly string[] =>
    trust(
      {
        losses: [
          {
            producer_id: "p",
            from: null,
            to: "2026-01-01T00:01:00Z",
            lost: 0,
            sampled_out: 0,
            write_failures: 0,
            ...change,
          },
        ],
      },
      [intent, began, ended],
    ).reasons;
  test("keep back the turns of their time, each by its own name", () => {
    expect(loss({})).toEqual([]);
    expect(loss({ lost: 1 })).toEqual(["known_loss"]);
    expect(loss({ sampled_out: 1 })).toEqual(["sampled_out"]);
    expect(loss({ write_failures: 1 })).toEqual(["write_failures"]);
    expect(loss({ lost: 1, from: "2026-01-01T00:00:00Z" })).toEqual(["known_loss"]);
    expect(loss({ lost: 1, from: "2026-01-01T00:00:30Z" })).toEqual([]);
  });
  test("count only where they say when they were; what is no list or no loss is left out", () => {
    for (const bad of [{ from: 7 }, { to: 7 }, { to: null }, { from: undefined }]) {
      expect(loss({ lost: 1, ...bad })).toEqual([]);
    }
    for (const losses of [7, "x", {}, [null], ["x"], [7]]) {
      expect(trust({ losses }).reasons).toEqual([]);
    }
  });
});

describe("the clock", () => {
  test("is the mark of the window, else the latest receipt", () => {
    const received = [{ ...intent, received_at: "2026-01-01T00:00:11Z" }];
    expect(judge(whole, received).as_of).toBe("2026-01-01T00:00:11Z");
    const mark = "2026-01-01T00:00:12Z";
    expect(judge({ ...whole, as_of: mark }, received).as_of).toBe(mark);
    for (const as_of of ["yesterday", 7, null]) {
      expect(judge({ ...whole, as_of }, received).as_of).toBe("2026-01-01T00:00:11Z");
    }
  });
  test("takes no life of a producer that is not told whole", () => {
    const open = { ...intent, event_id: "b", event_kind: "turn", phase: "start" };
    const life = { producer_id: "p", first: "2026-01-01T00:00:00Z", last: "2026-01-01T01:00:00Z" };
    const until = (producers: unknown): string | null =>
      judge({ ...whole, as_of: "2026-01-01T00:10:00Z", producers }, [intent, open]).open_until;
    const silent = until([]);
    expect(silent).not.toBeNull();
    expect(until([life])).not.toBe(silent);
    for (const bad of [
      7,
      [null],
      [7],
      ["x"],
      [{ ...life, last: 7 }],
      [{ ...life, first: null }],
      [{ ...life, producer_id: undefined }],
    ]) {
      expect(until(bad)).toBe(silent);
    }
  });
});
