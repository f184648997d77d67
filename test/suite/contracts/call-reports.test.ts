/** @module Retries and fallbacks of a call that several spans report count once. */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Clause } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { cut, end, model, tool, whole } from "./turns.ts";

/** Lowest and highest number that a clause measures. */
function measure(
  clause: "retries" | "fallbacks",
  events: readonly TurnEvent[],
  metadata = whole,
): readonly [number | undefined, number | null | undefined] {
  const one: Clause = { clause, at_most: 100 };
  const contract = defineContract({ name: "one", expect: [one] });
  const [turn] = evaluateTurns(events, [contract], { metadata, otherwise: null });
  const measured = turn?.contracts[0]?.clauses[0]?.measured;
  return [measured?.low, measured?.high];
}

function within(outer: TurnEvent, inner: TurnEvent): TurnEvent {
  return { ...inner, parent_span_id: outer.span_id ?? "" };
}

const retried = (retry_count: number | undefined): object =>
  retry_count === undefined ? {} : { retry_count };
/** A wrapper without tokens around measured model calls. */
function wrapped(outer: number | undefined, ...inner: (number | undefined)[]): TurnEvent[] {
  const { input_tokens: _in, output_tokens: _out, retry_count: _n, ...bare } = model(10).attributes;
  const around = { ...model(10, {}, { ms: 900 }), attributes: { ...bare, ...retried(outer) } };
  const calls = inner.map((retries, at) => {
    const call = within(around, model(20 + at * 20));
    const { retry_count: _, ...measured } = call.attributes;
    return { ...call, attributes: { ...measured, ...retried(retries) } };
  });
  return [around, ...calls, end()];
}

describe("retries", () => {
  test("of a wrapper and the model calls inside of it are the higher number", () => {
    expect(measure("retries", wrapped(1, 1))).toEqual([1, 1]);
    expect(measure("retries", wrapped(1, 0, 0))).toEqual([1, 1]);
    expect(measure("retries", wrapped(1, 2, 1))).toEqual([3, 3]);
    expect(measure("retries", wrapped(undefined, 1))).toEqual([1, 1]);
    expect(measure("retries", wrapped(2, undefined))).toEqual([2, 2]);
    expect(measure("retries", wrapped(undefined, undefined))).toEqual([0, null]);
    expect(measure("retries", wrapped(undefined, 1, undefined))).toEqual([1, null]);
  });

  test("of model calls that are others add up", () => {
    expect(measure("retries", [model(10, retried(1)), model(90, retried(2)), end()])).toEqual([
      3, 3,
    ]);
  });

  test("of the spans of a tool call are the highest number", () => {
    const outer = tool("a", 10, retried(1), { ms: 90 });
    const inner = within(outer, tool("a", 20, retried(2)));
    expect(measure("retries", [outer, inner, end()])).toEqual([2, 2]);
    const beside = tool("a", 20, retried(1), { dialect: "vercel_ai" });
    const first = { ...outer, dialect: "turnproof" } as const;
    expect(measure("retries", [first, beside, end()])).toEqual([1, 1]);
    expect(measure("retries", [outer, tool("b", 20, retried(1)), end()])).toEqual([2, 2]);
  });

  test("of a response that is fetched again are those of its call", () => {
    const made = model(10, { request_id: "r", retry_count: 1 });
    const fetched = model(90, {
      request_id: "r",
      retry_count: 1,
      genai_operation: "fetch_response",
    });
    expect(measure("retries", [made, fetched, end()])).toEqual([1, 1]);
  });

  test("in a part of a window are at least those that no missing span contains", () => {
    expect(measure("retries", wrapped(1, 1), cut)).toEqual([1, null]);
    const calls = [model(10, retried(1)), model(90, retried(2)), end()];
    expect(measure("retries", calls, cut)).toEqual([2, null]);
    const tools = [tool("a", 10, retried(1)), tool("a", 90, retried(2)), end()];
    expect(measure("retries", tools, cut)).toEqual([3, null]);
  });
});

describe("fallbacks", () => {
  const used = { tool_outcome: "fallback", fallback_used: true } as const;

  test("of the spans of a call are one", () => {
    const outer = tool("a", 10, used, { ms: 90 });
    expect(measure("fallbacks", [outer, within(outer, tool("a", 20, used)), end()])).toEqual([
      1, 1,
    ]);
    expect(measure("fallbacks", [outer, within(outer, tool("b", 20, used)), end()])).toEqual([
      2, 2,
    ]);
    const clean = tool("a", 10, {}, { ms: 90 });
    expect(measure("fallbacks", [clean, within(clean, tool("a", 20, used)), end()])).toEqual([
      1, 1,
    ]);
  });

  test("of a wrapper and the model call inside of it are one", () => {
    const [around, inner, last] = wrapped(0, 0);
    if (around === undefined || inner === undefined || last === undefined) throw new Error("none");
    const flagged = (event: TurnEvent): TurnEvent => ({
      ...event,
      attributes: { ...event.attributes, fallback_used: true },
    });
    expect(measure("fallbacks", [flagged(around), flagged(inner), last])).toEqual([1, 1]);
    expect(measure("fallbacks", [flagged(around), inner, last])).toEqual([1, 1]);
  });
});
