/** What a verdict must not read in an agent's favour: each window is a success but for one word. */
import { joinPages, reconcileOutcome } from "@turnproof/evidence";
import type { WindowMetadata } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { readsOf } from "./oracle/repage.ts";
import {
  artifact,
  at,
  contract,
  delivery,
  intent,
  ledger,
  success,
  whole,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const judged = (events: readonly unknown[], metadata: WindowMetadata = whole): string[] => {
  const { status, findings } = reconcileOutcome(events, { normalizationMetadata: metadata });
  return [status, ...new Set(findings.map(({ code }) => code))].toSorted();
};

const marked = { ...whole, as_of: "2026-11-21T09:00:00Z" };
const refused = (second: number, extra: Json): Json =>
  delivery(
    { emitted: false },
    { event_id: "refused", timestamp: `2026-11-21T08:00:${second}Z`, ...extra },
  );

describe("a delivery that is stamped 2099", () => {
  const far = (extra: Json): Json[] =>
    success({
      delivery: delivery({}, { timestamp: "2099-01-01T00:00:00Z", producer_id: "a", ...extra }),
    });
  const no = refused(50, { producer_id: "b" });
  const conflict = ["clock_ahead", "order_not_established", "partial"];
  test("without a receipt is no later than the mark of the window", () => {
    expect(judged([...far({}), no], marked)).toEqual(conflict);
  });
  test("with one does not outrank a refusal that says none", () => {
    expect(judged([...far({ received_at: "2026-11-21T08:01:00Z" }), no])).toEqual(conflict);
    expect(judged([...far({ received_at: "2026-11-21T08:01:00Z" }), no], marked)).toEqual(conflict);
  });
  test("alone is a success with a note", () => {
    expect(judged(far({}), marked)).toEqual(["clock_ahead", "success"]);
  });
});

describe("what was received after the mark", () => {
  const late = { timestamp: "2026-11-21T08:00:55Z", received_at: "2026-11-21T09:00:01Z" };
  test("counts neither against a verdict nor for one", () => {
    expect(judged([...success(), refused(55, late)], marked)).toEqual(["success"]);
    const events = success({ delivery: delivery({}, late) });
    expect(judged(events, marked)).toContain("partial");
    expect(judged(events)).toEqual(["success"]);
  });
});

test("pages whose mark is no time are never the whole", () => {
  const reads = readsOf(success(), 3, "x");
  expect(joinPages(reads).normalization_metadata).toMatchObject({
    window_complete: false,
    truncated: true,
    as_of: null,
  });
});

test("the metadata of a narrowed page proves nothing", () => {
  const [read] = readsOf(success(), 50);
  const stated = { ...read?.page, truncated: false, read_completeness: "complete" as const };
  expect(judged(success(), { ...stated, narrowed: false } as WindowMetadata)).toEqual(["success"]);
  const { status, window } = reconcileOutcome(success(), {
    normalizationMetadata: { ...stated, narrowed: true } as WindowMetadata,
  });
  expect([status, window.reasons]).toEqual(["partial", ["window_incomplete"]]);
});

describe.each(["turn", "model_call", "tool_call", "memory_supply"])("a %s", (kind) => {
  const stated = (attributes: Json, extra: Json = {}): Json =>
    at(5, kind, attributes, { phase: "result", span_id: "aaaaaaaaaaaaaa31", ...extra });
  const other = { ...ledger, ref: "other-1" };
  test("that denies its own ownership is failed", () => {
    expect(judged([...success(), stated({ ownership_verified: true })])).toEqual(["success"]);
    const word = stated({ ownership_verified: false });
    expect(judged([...success(), word])).toEqual(["failed", "ownership_unverified"]);
  });
  test.each(["missing", "failed"])("with a source of provenance %s blocks", (status) => {
    const refs = { input_refs: [{ ...other, provenance_status: status }] };
    expect(judged([...success(), stated({}, refs)])).toEqual(["partial", "provenance_missing"]);
  });
});

test("what retrieval only considered does not block", () => {
  const refs = { input_refs: [{ ...ledger, ref: "other-1", ownership_verified: false }] };
  const considered = at(5, "memory_retrieval", {}, { phase: "result", ...refs });
  expect(judged([...success(), considered])).toEqual(["success"]);
});

describe("a deletion that names no resource", () => {
  const gone = (second: number, type: string | undefined): Json => {
    const event = artifact({ artifact_status: "deleted" }, { event_id: "gone" });
    const { output_refs: _, ...rest } = event;
    const { artifact_type: __, ...attributes } = rest["attributes"] as Json;
    const named = type === undefined ? {} : { artifact_type: type };
    return {
      ...rest,
      attributes: { ...attributes, ...named },
      timestamp: `2026-11-21T08:00:${second}Z`,
    };
  };
  test.each([["invoice"], [undefined]])("may be of any artifact of type %s", (type) => {
    expect(judged([...success(), gone(50, type)])).toEqual(["artifact_missing", "partial"]);
    expect(judged([...success(), gone(15, type)])).toEqual(["success"]);
  });
  test("of another type is of another artifact", () => {
    expect(judged([...success(), gone(50, "draft")])).toEqual(["success"]);
  });
});

describe("a verified outcome", () => {
  const outcome = (word: string, verified = true): Json[] => [
    ...success(),
    at(50, "outcome", { outcome: word, verified, source: "desk" }),
  ];
  test.each(["declined", "aborted", "timeout", "Timed out", "incorrect", "not-resolved"])(
    "that says %s is failed",
    (word) => {
      expect(judged(outcome(word))).toEqual(["failed", "outcome_failed"]);
      expect(judged(outcome(word, false))).toEqual(["success"]);
    },
  );
  test.each(["partial", "incomplete", "pending"])("that says %s is partial", (word) => {
    expect(judged(outcome(word))).toEqual(["outcome_partial", "partial"]);
  });
});

test.each(["partial", "unknown", "error"])("a model call that ended %s is no stage", (status) => {
  const call = (ended: string): Json =>
    at(5, "model_call", {}, { phase: "result", span_id: "aaaaaaaaaaaaaa31", status: ended });
  const requested = success({ intent: intent({ coverage_profile: "chat_response" }) });
  expect(judged([...requested, call("success")])).toEqual(["success"]);
  const verdict = reconcileOutcome([...requested, call(status)], { normalizationMetadata: whole });
  expect([verdict.status, verdict.missing_stages]).toEqual(["partial", ["model_call_result"]]);
});

describe("a delivery at its artifact's instant", () => {
  const instant = "2026-11-21T08:00:40Z";
  test.each([{ producer_id: "p" }, { service_name: "s" }, {}])(
    "that %j numbered before it does not follow it",
    (producer) => {
      const numbered = (made: number, sent: number): Json[] => {
        const number = (seq: number): Json => ({
          timestamp: instant,
          producer_seq: seq,
          ...producer,
        });
        return success({
          artifact: artifact({}, number(made)),
          contract: contract({}, { ...number(1) }),
          delivery: delivery({}, number(sent)),
        });
      };
      expect(judged(numbered(8, 9))).toEqual(["success"]);
      expect(judged(numbered(9, 8))).toEqual(["delivery_precedes_evidence", "partial"]);
    },
  );
});

test("a named artifact supersedes an earlier record of its type that names no resource", () => {
  const { output_refs: _, ...draft } = artifact({}, { event_id: "draft" });
  const early = { ...draft, timestamp: "2026-11-21T08:00:12Z" };
  expect(judged([...success(), early])).toEqual(["success"]);
  const late = { ...draft, timestamp: "2026-11-21T08:00:50Z" };
  expect(judged([...success(), late])).toContain("partial");
});
