/** The calls of a turn add up to the counts in its row. */
import fc from "fast-check";
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { turnCalls } from "./turn-calls.ts";
import { foldTurns } from "./turns.ts";

function call(span_id: string, more: Partial<TurnEvent>): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${span_id}:result`,
    event_kind: "model_call",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    root_trace_id: "r1",
    turn_id: "t",
    span_id,
    attributes: {},
    ...more,
  };
}

const tokens = fc.option(fc.nat({ max: 9 }), { nil: undefined });
const events = fc
  .uniqueArray(
    fc.record({
      span_id: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
      parent_span_id: fc.constantFrom("turn", "a", "b", "c"),
      event_kind: fc.constantFrom("model_call" as const, "tool_call" as const, "span" as const),
      phase: fc.constantFrom("result" as const, "start" as const, "event" as const),
      status: fc.constantFrom("success" as const, "error" as const),
      duration_ms: fc.constantFrom(1, 2.5),
      input: tokens,
      output: tokens,
      tool: fc.constantFrom("x", "y"),
    }),
    { selector: ({ span_id, phase }) => `${span_id}:${phase}`, maxLength: 8 },
  )
  .map((all) =>
    all.map(({ input, output, tool, ...stated }) =>
      call(stated.span_id, {
        ...stated,
        event_id: `${stated.span_id}:${stated.phase}`,
        attributes:
          stated.event_kind === "tool_call"
            ? { tool_name: tool }
            : {
                ...(input === undefined ? {} : { input_tokens: input }),
                ...(output === undefined ? {} : { output_tokens: output }),
              },
      }),
    ),
  );

const sum = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
};

test("tokens and tool results of the calls are those of the row, however calls are nested", () => {
  fc.assert(
    fc.property(events, (all) => {
      const [row] = foldTurns(all);
      if (row === undefined) return;
      const calls = turnCalls(all);
      const models = calls.filter(({ kind }) => kind === "model");
      expect(sum(models.map(({ input_tokens: of }) => of))).toBe(row.input_tokens);
      expect(sum(models.map(({ output_tokens: of }) => of))).toBe(row.output_tokens);
      const tools = calls.filter(({ kind }) => kind === "tool");
      expect(tools.length).toBe(row.tools.results);
      expect(tools.filter(({ outcome }) => outcome === "error").length).toBe(row.tools.error);
    }),
    { numRuns: 3_000 },
  );
});

test("a call that a log record tells has the model and the duration of the span around it", () => {
  const span = call("s", {
    duration_ms: 12,
    attributes: { model: "m", provider: "p", service_tier: "flex" },
  });
  const record = call("log", {
    phase: "event",
    parent_span_id: "s",
    attributes: { input_tokens: 4, cache_write_tokens: 3, reasoning_tokens: 0 },
  });
  expect(turnCalls([span, record])).toEqual([
    {
      kind: "model",
      name: "m",
      provider: "p",
      outcome: "success",
      error_type: null,
      duration_ms: 12,
      input_tokens: 4,
      output_tokens: null,
      cached_tokens: null,
      cache_write_tokens: 3,
      reasoning_tokens: 0,
      service_tier: "flex",
    },
  ]);
});
