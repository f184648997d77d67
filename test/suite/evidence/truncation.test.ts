/**
 * @module Truncation: which model call gave the text of a contract, and whether a limit ended it.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { requests } from "./artifact-rows.ts";
import { whole } from "./text-windows.ts";
import { event } from "./turn-event.ts";

type Attributes = TurnEvent["attributes"];
type Extra = Partial<TurnEvent>;

const record = (attributes: Attributes = {}, extra: Extra = {}): TurnEvent =>
  event(
    "contract",
    20,
    {
      contract_name: "form",
      parser_status: "success",
      opening_marker_found: true,
      closing_marker_found: true,
      ...attributes,
    },
    extra,
  );
/** A call that ended at the second. */
const call = (second: number, attributes: Attributes, extra: Extra = {}): TurnEvent =>
  event("model_call", second, attributes, { phase: "result", span_id: `call-${second}`, ...extra });

function isTruncated(...events: TurnEvent[]): boolean {
  const { findings } = reconcileOutcome([requests([]), ...events], {
    normalizationMetadata: whole,
  });
  return findings.some(({ code }) => code === "contract_truncated");
}

const open: Attributes = { closing_marker_found: false };
const length: Attributes = { finish_reason: ["length"] };
const stop: Attributes = { finish_reason: ["stop"] };

describe("a finish reason", () => {
  test.each([
    ["length", true],
    ["max_tokens", true],
    ["max_output_tokens", true],
    ["model_length", true],
    ["MAX_TOKENS", true],
    ["stop", false],
    ["", false],
  ])("%j of the record or of the call: %j", (reason, expected) => {
    expect(isTruncated(record({ contract_finish_reason: reason }))).toBe(expected);
    expect(isTruncated(record(), call(10, { finish_reason: [reason] }))).toBe(expected);
  });
  test("of any choice counts", () => {
    expect(isTruncated(record(), call(10, { finish_reason: ["stop", "length"] }))).toBe(true);
  });
  test("that says length is enough, markers or not", () => {
    expect(isTruncated(record({ unmarked: true }), call(10, length))).toBe(true);
  });
});

describe("a limit that was met", () => {
  const limited = { output_limit: 100, output_chars: 100 };
  test("truncates where a marker is missing", () => {
    expect(isTruncated(record({ ...limited, ...open }))).toBe(true);
    expect(isTruncated(record({ ...limited, opening_marker_found: false }))).toBe(true);
    expect(isTruncated(record({ ...limited, ...open, output_chars: 101 }))).toBe(true);
    expect(isTruncated(record({ ...limited, ...open, output_chars: 99 }))).toBe(false);
    expect(isTruncated(record(limited))).toBe(false);
    expect(isTruncated(record({ ...limited, ...open, unmarked: true }))).toBe(false);
  });
  test("needs a limit and a length", () => {
    expect(isTruncated(record({ ...open, output_limit: 100 }))).toBe(false);
    expect(isTruncated(record({ ...open, output_chars: 100 }))).toBe(false);
    expect(isTruncated(record({ ...open, output_limit: 100 }), call(10, {}))).toBe(false);
  });
  test("is compared with the text of the call where the record says no length", () => {
    const silent = record({ ...open, output_limit: 100 });
    expect(isTruncated(silent, call(10, { response_chars: 100 }))).toBe(true);
    expect(isTruncated(silent, call(10, { response_chars: 99 }))).toBe(false);
    const short = record({ ...open, output_limit: 100, output_chars: 9 });
    expect(isTruncated(short, call(10, { response_chars: 100 }))).toBe(false);
  });
  test("is the call's own in tokens as well", () => {
    const tokens = { output_tokens: 50, max_output_tokens: 50 };
    expect(isTruncated(record(open), call(10, tokens))).toBe(true);
    expect(isTruncated(record(open), call(10, { ...tokens, output_tokens: 49 }))).toBe(false);
    expect(isTruncated(record(), call(10, tokens))).toBe(false);
  });
});

describe("the call that gave the text", () => {
  test("is the one that the record hangs under, whatever came later", () => {
    const under = record({}, { parent_span_id: "call-5" });
    expect(isTruncated(under, call(5, length), call(10, stop))).toBe(true);
    expect(isTruncated(under, call(5, stop), call(10, length))).toBe(false);
    expect(isTruncated(under, record({}, { ...under, event_id: "again" }), call(5, length))).toBe(
      true,
    );
  });
  test("is looked for in the turn where the parent is no call", () => {
    const under = record({}, { parent_span_id: "work" });
    const work = event("application_action", 5, {}, { phase: "result", span_id: "work" });
    expect(isTruncated(under, work, call(10, length))).toBe(true);
    const second = record({}, { parent_span_id: "work", event_id: "second" });
    expect(isTruncated(under, second, work, call(10, stop))).toBe(false);
  });
  test("is the latest that had ended by then", () => {
    expect(isTruncated(record(), call(5, stop), call(10, length), call(21, stop))).toBe(true);
    expect(isTruncated(record(), call(10, stop), call(5, length), call(21, length))).toBe(false);
    expect(isTruncated(record(), call(20, length))).toBe(true);
    expect(isTruncated(record(), call(21, length))).toBe(false);
  });
  test("is any of those that ended at one instant", () => {
    const tied = (attributes: Attributes): TurnEvent =>
      call(10, attributes, { span_id: "tied", event_id: "tied" });
    expect(isTruncated(record(), call(10, stop), tied(length))).toBe(true);
    expect(isTruncated(record(), call(10, length), tied(stop))).toBe(true);
    const limited = record({ ...open, output_limit: 100 });
    const long = { response_chars: 100 };
    expect(isTruncated(limited, call(10, long), tied({ response_chars: 9 }))).toBe(true);
    expect(isTruncated(limited, call(10, { response_chars: 9 }), tied(long))).toBe(true);
  });
  test("is not asked for where the record says how its text ended, and hangs under none", () => {
    const stated = record({ contract_finish_reason: "stop" });
    expect(isTruncated(stated, call(10, length))).toBe(false);
    expect(isTruncated({ ...stated, parent_span_id: "call-10" }, call(10, length))).toBe(true);
  });
  test("is no start of one and no embedding", () => {
    expect(isTruncated(record(), call(10, length, { phase: "start" }))).toBe(false);
    expect(isTruncated(record(), call(10, length, { operation: "embeddings" }))).toBe(false);
    expect(isTruncated(record(), call(10, length, { operation: "embeddings text-3" }))).toBe(false);
    expect(isTruncated(record(), call(10, length, { operation: "chat" }))).toBe(true);
    const other = event("tool_call", 10, length, { phase: "result", span_id: "tool" });
    expect(isTruncated(record(), other)).toBe(false);
  });
  test("is of the record's task, else of the turn, and of no other task", () => {
    const a = { task_id: "a" };
    const intent = requests([], 2, { ...a, event_id: "of-a" });
    const own = record({}, a);
    expect(isTruncated(intent, own, call(5, length, a), call(10, stop))).toBe(true);
    expect(isTruncated(intent, own, call(5, stop, a), call(10, length))).toBe(false);
    expect(isTruncated(intent, own, call(10, length))).toBe(true);
    expect(isTruncated(intent, own, call(10, length, { task_id: "b" }))).toBe(false);
    expect(isTruncated(record(), call(10, length, a))).toBe(false);
  });
});
