/**
 * @module What is recorded of a window with a gap: it decides where nothing that is missing can
 * change it, and else the sentence has it.
 */
import { defineContract, evaluateTurns, goldensOf } from "@turnproof/contracts";
import type { Clause, ClauseResult } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { cut, end, model, step, tool, whole } from "./turns.ts";

const hosted = { turn_id: "turn_w1" };
const ended = end({ ...hosted, ms: 39_318 });
const words =
  "An end of the turn is recorded with status success after 39318 ms, " +
  "but one of a span that began earlier may be missing";

function judge(clause: Clause, events: readonly TurnEvent[]): ClauseResult | undefined {
  const contract = defineContract({ name: "one", expect: [clause] });
  const [turn] = evaluateTurns(events, [contract], { metadata: cut, otherwise: null });
  return turn?.contracts[0]?.clauses[0];
}

describe("a span of a turn around the one that ended, in a whole window", () => {
  const at = Date.UTC(2026, 0, 1);
  const begun = step("turn", 5, {}, { ...hosted, phase: "start", status: "started" });
  const inner = step("turn", 10, {}, { ...hosted, parent_span_id: begun.span_id ?? "" });
  const judgeWhole = (clause: Clause, now: number): ClauseResult | undefined => {
    const contract = defineContract({ name: "one", expect: [clause] });
    const metadata = { ...whole, as_of: new Date(now).toISOString() };
    const [turn] = evaluateTurns([begun, inner], [contract], { metadata, otherwise: null });
    return turn?.contracts[0]?.clauses[0];
  };
  const day = 86_400_000;

  test("leaves open whether the turn ended while it may end, and how", () => {
    for (const clause of ["ended", "no_errors", "tools_clean"] as const) {
      expect(judgeWhole({ clause }, at + 1_000)?.result).toBe("not_established");
    }
    expect(judgeWhole({ clause: "duration", at_most_ms: 100 }, at + day)?.result).toBe(
      "not_established",
    );
    expect(judgeWhole({ clause: "status", is: "success" }, at + day)?.result).toBe(
      "not_established",
    );
  });

  test("violates `ended` once it is given up", () => {
    expect(judgeWhole({ clause: "ended" }, at + day)).toMatchObject({
      result: "violated",
      sentence: "The turn began and never ended.",
      evidence_ids: [begun.event_id],
    });
  });

  test("leaves nothing open beside the end of a span without a parent", () => {
    const contract = defineContract({ name: "one", expect: [{ clause: "ended" }] });
    const inside = { ...begun, parent_span_id: ended.span_id ?? "" };
    const [turn] = evaluateTurns([inside, ended], [contract], { metadata: whole, otherwise: null });
    expect(turn?.contracts[0]?.clauses[0]?.result).toBe("holds");
  });

  test("gives no golden trajectory", () => {
    const metadata = { ...whole, as_of: new Date(at + day).toISOString() };
    expect(goldensOf([begun, inner], metadata)).toMatchObject({ goldens: [], left_out: 1 });
  });
});

describe("an end of a turn with the id of a host", () => {
  test("of a span without a parent establishes that the turn ended", () => {
    expect(judge({ clause: "ended" }, [ended])).toMatchObject({
      result: "holds",
      sentence: "The turn ended.",
      evidence_ids: [ended.event_id],
    });
  });

  test("of a span inside of another one, or beside one that is open, does not", () => {
    const inner = step("turn", 10, {}, hosted);
    expect(judge({ clause: "ended" }, [inner])).toMatchObject({
      result: "not_established",
      sentence:
        "An end of the turn is recorded with status success after 10 ms, " +
        "but a span of the turn may be missing around it.",
    });
    const begun = step("turn", 5, {}, { ...hosted, phase: "start", status: "started" });
    expect(judge({ clause: "ended" }, [begun, ended])).toMatchObject({
      result: "not_established",
      sentence:
        "An end of the turn is recorded with status success after 39318 ms, " +
        "but another span of the turn began and has no recorded end.",
    });
  });

  test("is in the sentences of its duration and status", () => {
    expect(judge({ clause: "duration", at_most_ms: 100 }, [ended])).toMatchObject({
      result: "not_established",
      sentence: `${words}; the contract allows at most 100.`,
      evidence_ids: [ended.event_id],
    });
    expect(judge({ clause: "status", is: "success" }, [ended])).toMatchObject({
      result: "not_established",
      sentence: `${words}.`,
      evidence_ids: [ended.event_id],
    });
  });

  test("decides where its span names the turn", () => {
    const own = end({ ms: 39_318 });
    expect(judge({ clause: "duration", at_most_ms: 100 }, [own])?.result).toBe("violated");
    expect(judge({ clause: "status", is: "success" }, [own])?.result).toBe("holds");
  });
});

describe("calls that are recorded", () => {
  const calls = [model(10), model(50)];

  test("of every model are at least one, whatever is missing inside of them", () => {
    expect(judge({ clause: "calls", kind: "model_call", at_least: 1 }, calls)).toMatchObject({
      result: "holds",
      sentence:
        "1 call or more (event of kind model_call; 1 more is recorded that may not count); " +
        "the contract allows at least 1.",
      evidence_count: 2,
    });
    expect(judge({ clause: "calls", kind: "model_call", never: true }, calls)?.result).toBe(
      "violated",
    );
    expect(judge({ clause: "calls", kind: "model_call", at_most: 1 }, calls)?.result).toBe(
      "not_established",
    );
  });

  test("of a tool under a span that is missing are at least one call of a tool", () => {
    const lost = tool("a", 10, {}, { parent_span_id: "lost" });
    expect(judge({ clause: "calls", kind: "tool_call", never: true }, [lost])?.result).toBe(
      "violated",
    );
    expect(judge({ clause: "calls", tool: "a", never: true }, [lost])).toMatchObject({
      result: "not_established",
      sentence:
        "0 calls or more (call of a; 1 more is recorded that may not count); " +
        "the contract allows none.",
    });
  });

  test("have their tokens in the sentence, which decide nothing", () => {
    const measured = calls.map((call) => ({
      ...call,
      attributes: { input_tokens: 100, output_tokens: 20 },
    }));
    expect(judge({ clause: "tokens", at_most: 10 }, measured)).toMatchObject({
      result: "not_established",
      sentence:
        "Recorded: 240 total tokens, and calls that count instead or besides may be missing; " +
        "the contract allows at most 10.",
    });
  });
});

test("memory that answered in full where it is recorded is in the sentence", () => {
  const supply = step("memory_supply", 10, { supplied_count: 2, memory_degraded: false });
  expect(judge({ clause: "memory", degraded: false }, [supply])).toMatchObject({
    result: "not_established",
    sentence: "Memory answered in full where it is recorded, and a part may be missing.",
  });
});

test("tokens of a call that has one count are at least so many; a total of its own is all", () => {
  const judgeWhole = (clause: Clause, attributes: TurnEvent["attributes"]): string | undefined => {
    const contract = defineContract({ name: "one", expect: [clause] });
    const calls = [{ input_tokens: 1_000, output_tokens: 7 }, attributes].map((counts, at) => ({
      ...model(at),
      attributes: counts,
    }));
    const [turn] = evaluateTurns([...calls, end()], [contract], {
      metadata: whole,
      otherwise: null,
    });
    return turn?.contracts[0]?.clauses[0]?.result;
  };
  const total = (at_most: number, of: TurnEvent["attributes"]): string | undefined =>
    judgeWhole({ clause: "tokens", at_most }, of);
  expect(total(1_008, { output_tokens: 3 })).toBe("violated");
  expect(total(1_010, { output_tokens: 3 })).toBe("not_established");
  expect(total(1_010, { total_tokens: 3 })).toBe("holds");
  expect(judgeWhole({ clause: "tokens", of: "input", at_most: 1_000 }, { total_tokens: 3 })).toBe(
    "not_established",
  );
  expect(judgeWhole({ clause: "tokens", of: "output", at_most: 10 }, { output_tokens: 3 })).toBe(
    "holds",
  );
});
