/**
 * @module Finding rows within a turn: words, fields, attributes, states, missing values,
 * ancestors.
 */
import { buildCausalWaterfall } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { exactTerm, findRows, readRowQuery } from "./row-find.ts";
import { withAncestors } from "./tree-rows.ts";
import { waterfallRows } from "./waterfall-rows.ts";

function span(id: number, parent: string | undefined, more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `e${id}:result`,
    event_kind: "application_action",
    phase: "result",
    status: "success",
    timestamp: new Date(1_000 * id + 500).toISOString(),
    started_at: new Date(1_000 * id).toISOString(),
    duration_ms: 500,
    span_id: `s${id}`,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    application_id: "desk",
    root_trace_id: "r",
    turn_id: "u",
    attributes: {},
    ...more,
  };
}

const { duration_ms: _known, started_at: _when, ...endless } = span(4, "s0");
const events: readonly TurnEvent[] = [
  span(0, undefined, { event_kind: "turn", operation: "invoke_agent Desk", duration_ms: 9_000 }),
  span(1, "s0", { event_kind: "model_call", attributes: { model: "Atlas-2", input_tokens: 900 } }),
  span(2, "s1", {
    event_kind: "tool_call",
    status: "error",
    attributes: { tool_name: "web search", error_type: "timeout" },
    producer_id: "worker-7",
  }),
  span(3, "lost", { application_id: "mailer", duration_ms: 2_500 }),
  { ...endless, event_id: "s4:start", phase: "start", operation: 'say "hi"' },
];
const { rows } = waterfallRows(buildCausalWaterfall(events));
const byId = new Map(events.map((event) => [event.event_id, event]));

function found(text: string): readonly string[] {
  const eventsOf = ({ node }: (typeof rows)[number]): readonly TurnEvent[] =>
    (node?.event_ids ?? []).flatMap((id) => byId.get(id) ?? []);
  return findRows(rows, eventsOf, readRowQuery(text))
    .map((index) => nameOf(rows[index]))
    .toSorted();
}

/** Span of a row, the id of a hollow one, or the application whose turn it heads. */
function nameOf(row: (typeof rows)[number] | undefined): string {
  return row?.node?.span_id ?? row?.missingId ?? row?.identity?.application_id ?? "turn";
}

test.each([
  ["op:desk", ["s0"]],
  ["kind:tool_call", ["s2"]],
  ['kind:"tool call"', ["s2"]],
  ["tool:search", ["s2"]],
  ['tool:"=web search"', ["s2"]],
  ["tool:=web", []],
  ["model:atlas", ["s1"]],
  ["status:error", ["s2"]],
  ["-status:success", ["s2"]],
  ["service:mailer", ["s3"]],
  ["producer:worker", ["s2"]],
  ["span:s3", ["s3"]],
  ["span:lost", ["lost"]],
  ["event:e2", ["s2"]],
  ["error_type:timeout", ["s2"]],
  ["input_tokens:>800", ["s1"]],
  ["input_tokens:<800", []],
  ["gen_ai.usage.input_tokens:900", ["s1"]],
  ["duration:>2s", ["s0", "s3"]],
  ["duration:?", ["s4"]],
  ["model:?", ["s0", "s2", "s3", "s4"]],
  ["is:missing", ["lost", "s3"]],
  ["is:unfinished", ["s4"]],
  ["timeout", ["s2"]],
  ["TIMEOUT error", ["s2"]],
  ["timeout -error", []],
  ["e2:result", ["s2"]],
  [String.raw`op:"say \"hi\""`, ["s4"]],
  ["", []],
  ["tool:", []],
  ['"', []],
])("%s", (text, spans) => {
  expect(found(text)).toEqual(spans);
});

test("what looks like a term and is none is looked for as text, and said", () => {
  expect(readRowQuery("nonsense:1 tool:search")).toEqual({
    terms: [
      { key: "", value: "nonsense:1", negated: false },
      { key: "tool", value: "search", negated: false },
    ],
    unclear: ["nonsense:1"],
  });
  expect(readRowQuery("duration:soon").unclear).toEqual(["duration:soon"]);
});

test("an exact term finds its value, whatever characters it has", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "binary" }), (value) => {
      const [term, ...rest] = readRowQuery(exactTerm("op", value)).terms;
      expect(term).toEqual({ key: "op", value: `=${value}`, negated: false });
      expect(rest).toEqual([]);
    }),
  );
  expect(exactTerm("model", undefined)).toBe("model:?");
});

test("any text is read without failing", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(Array.isArray(found(text))).toBe(true);
    }),
  );
});

test("found rows are seen under every row above them, missing parents too", () => {
  const at = (name: string): number => rows.findIndex((row) => nameOf(row) === name);
  const kept = withAncestors(rows, [at("s2"), at("s3")]);
  expect([...kept].map((index) => nameOf(rows[index])).toSorted()).toEqual([
    "lost",
    "s0",
    "s1",
    "s2",
    "s3",
  ]);
});
