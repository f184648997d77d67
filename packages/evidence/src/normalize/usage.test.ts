/** Sums of tokens where calls lack a count: a lower bound, no less than its parts. */
import fc from "fast-check";
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { countUsage } from "./usage.ts";

function calls(counts: readonly TurnEvent["attributes"][]): readonly TurnEvent[] {
  return counts.map((attributes, at) => ({
    schema_version: 3,
    event_id: `e${at}`,
    event_kind: "model_call",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    root_trace_id: "r1",
    span_id: `s${at}`,
    attributes,
  }));
}

const whole = { input_tokens: 1_000, output_tokens: 7 };

test.each<[string, readonly TurnEvent["attributes"][], object]>([
  [
    "a call without its input",
    [whole, { output_tokens: 3 }],
    { input_tokens: 1_000, output_tokens: 10, total_tokens: 1_010, usage_state: "partial" },
  ],
  [
    "one call without its output",
    [{ input_tokens: 5 }],
    { input_tokens: 5, output_tokens: null, total_tokens: 5, usage_state: "partial" },
  ],
  [
    "a total beside two parts",
    [whole, { total_tokens: 100 }],
    { input_tokens: 1_000, total_tokens: 1_107, usage_state: "partial" },
  ],
  ["totals alone", [{ total_tokens: 100 }, { total_tokens: 1 }], { total_tokens: 101 }],
  [
    "a total below its parts",
    [{ ...whole, total_tokens: 9 }],
    { total_tokens: 1_007, usage_state: "known" },
  ],
  [
    "an embedding, which has no output",
    [whole, { input_tokens: 50, genai_operation: "embeddings" }],
    { input_tokens: 1_050, output_tokens: 7, total_tokens: 1_057, usage_state: "known" },
  ],
])("%s", (_name, counts, usage) => {
  expect(countUsage(calls(counts))).toMatchObject(usage);
});

test("no total is below its parts, and a known sum lacks no call's count", () => {
  const count = fc.option(fc.nat({ max: 99 }), { nil: undefined });
  const one = fc
    .record({ input_tokens: count, output_tokens: count, total_tokens: count })
    .map((counts) =>
      Object.fromEntries(Object.entries(counts).filter(([, own]) => own !== undefined)),
    );
  fc.assert(
    fc.property(fc.array(one, { maxLength: 4 }), (counts) => {
      const usage = countUsage(calls(counts));
      const parts = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
      expect(usage.total_tokens ?? 0).toBeGreaterThanOrEqual(parts);
      if (usage.usage_state !== "known") return;
      for (const of of ["input_tokens", "output_tokens"] as const) {
        const having = counts.filter((own) => own[of] !== undefined).length;
        expect([0, counts.length]).toContain(having);
      }
    }),
  );
});
