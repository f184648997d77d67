/**
 * @module Parity: each assertion of other tools on traces, the clause that means the same, and a
 * turn that breaks it.
 */
import type { Clause } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";

import { end, model, step, tool } from "./turns.ts";

/** One assertion. */
export interface ParityRow {
  readonly tool: string;
  readonly assertion: string;
  /** Null: it needs content. Several: all of them together. */
  readonly clause: Clause | readonly Clause[] | null;
  /** A turn that violates the clause. */
  readonly broken?: readonly TurnEvent[];
  /** A turn that satisfies it; default: the usual one. */
  readonly met?: readonly TurnEvent[];
}

const key = "k1_aaaaaaaaaaaaaaaaaaaaaaaaaa";
const otherKey = "k1_bbbbbbbbbbbbbbbbbbbbbbbbbb";
const stated = (fingerprint: string) => ({ call_fingerprint: fingerprint });

/** Looks an order up, calls the model, refunds, and ends. */
export const usual: readonly TurnEvent[] = [
  tool("lookup", 10, stated(key)),
  model(40, { response_model: "gpt-5", provider: "openai", finish_reason: ["stop"] }),
  tool("refund", 80, stated(key)),
  end(),
];

const without = (name: string): readonly TurnEvent[] =>
  usual.filter(({ attributes }) => attributes.tool_name !== name);
const swapped = [tool("refund", 10), model(40), tool("lookup", 80), end()];
const twice = [...usual, tool("refund", 120, stated(key))];
const failed = [
  tool("lookup", 10, { tool_outcome: "error" }, { status: "error" }),
  tool("refund", 80),
  end(),
];
const fewErrors = { clause: "calls", operation: "*", status: "error", at_most: 1 } as const;
const failedTwice = [...failed, tool("lookup", 200, {}, { status: "error" })];
const slow = [tool("lookup", 10, {}, { ms: 900 }), model(2_000), tool("refund", 3_000), end()];
const otherArguments = [
  tool("lookup", 10, stated(otherKey)),
  tool("refund", 80, stated(key)),
  end(),
];
const steps = ["lookup", "refund"].map((name) => {
  return { kind: "tool", name, fingerprint: key } as const;
});
const nested = [
  tool("lookup", 10, {}, { ms: 200 }),
  model(40),
  tool("refund", 80, {}, { parent_span_id: usual[0]?.span_id ?? "" }),
  end(),
];
const skilled = (skill_name: string) => [tool("Skill", 10, { skill_name }), end()];
const scored = (score: number) => [
  model(40),
  step("outcome", 60, { evaluation_name: "perplexity", score }),
  end(),
];
const foreign = { service_name: "elsewhere", event_id: "elsewhere" };
const twoServices = [...usual, tool("lookup", 200, {}, foreign)];
const third = { service_name: "third", event_id: "third" };
const threeServices = [...twoServices, tool("lookup", 300, {}, third)];

const row =
  (of: string) =>
  (
    assertion: string,
    clause: ParityRow["clause"],
    broken?: readonly TurnEvent[],
    met?: readonly TurnEvent[],
  ): ParityRow => ({
    tool: of,
    assertion,
    clause,
    ...(broken === undefined ? {} : { broken }),
    ...(met === undefined ? {} : { met }),
  });

const promptfoo = row("promptfoo");
const agentevals = row("agentevals");
const scouter = row("Scouter");
const assay = row("Assay");
const tracetest = row("Tracetest");

/** Every assertion of the five tools on traces. */
export const parity: readonly ParityRow[] = [
  promptfoo("trace-span-count", { clause: "calls", tool: "refund", exactly: 1 }, twice),
  promptfoo(
    "trace-span-duration",
    { clause: "each_call", tool: "*", duration_at_most_ms: 500 },
    slow,
  ),
  promptfoo(
    "trace-span-duration with a percentile",
    { clause: "statistic", tool: "*", of: "duration_ms", percentile: 95, at_most: 500 },
    slow,
  ),
  promptfoo("trace-error-spans", { clause: "no_errors" }, failed),
  promptfoo("trace-error-spans with max_count", fewErrors, failedTwice, failed),
  promptfoo(
    "trace-error-spans with max_percentage",
    { clause: "no_errors", at_most_share: 0.3 },
    failed,
    [...usual, tool("mail", 200, {}, { status: "error" })],
  ),
  promptfoo(
    "trajectory:tool-used",
    { clause: "calls", tool: "lookup", at_least: 1 },
    without("lookup"),
  ),
  promptfoo(
    "trajectory:tool-args-match (exact)",
    { clause: "arguments", tool: "lookup", any_of: [key] },
    otherArguments,
  ),
  promptfoo("trajectory:tool-args-match (partial)", null),
  promptfoo(
    "trajectory:tool-sequence (exact)",
    { clause: "trajectory", match: "strict", steps },
    swapped,
  ),
  promptfoo(
    "trajectory:tool-sequence (in order)",
    { clause: "trajectory", match: "ordered", steps },
    swapped,
  ),
  promptfoo("trajectory:step-count", { clause: "calls", tool: "*", at_most: 2 }, twice),
  promptfoo("trajectory:goal-success", null),
  promptfoo("latency", { clause: "duration", at_most_ms: 6_000 }, [
    ...without("refund").slice(0, -1),
    end({ ms: 9_000, duration_ms: 9_000 }),
  ]),
  promptfoo("tokens-used", { clause: "tokens", at_most: 150 }, [...usual, model(200)]),
  promptfoo(
    "tokens-used with a pattern",
    { clause: "statistic", model: "gpt-*", of: "tokens", sum: true, at_most: 150 },
    [...usual.slice(0, -1), model(200), end()],
  ),
  promptfoo("cost", { clause: "cost", at_most: 1 }, [...usual, model(200), model(300)]),
  promptfoo(
    "finish-reason",
    { clause: "each_call", kind: "model_call", finish_reason_in: ["stop"] },
    [model(40, { finish_reason: ["length"] }), end()],
  ),
  promptfoo(
    "tool-call-f1 (1: exactly these tools)",
    [
      { clause: "calls", tool: "lookup", at_least: 1 },
      { clause: "calls", tool: "refund", at_least: 1 },
      { clause: "tools", allowed: ["lookup", "refund"] },
    ],
    without("refund"),
  ),
  promptfoo(
    "tool-call-f1 with a threshold",
    { clause: "tools_f1", expected: ["lookup", "refund", "mail"], at_least: 0.8 },
    without("refund"),
  ),
  promptfoo(
    "assert-set with a threshold",
    {
      clause: "some_of",
      at_least_share: 0.5,
      expect: [
        { clause: "calls", tool: "mail", at_least: 1 },
        { clause: "calls", tool: "refund", at_least: 1 },
      ],
    },
    without("refund"),
  ),
  promptfoo(
    "skill-used",
    { clause: "calls", tool: "Skill", attributes: { skill_name: "token-*" }, at_least: 1 },
    skilled("review"),
    skilled("token-skill"),
  ),
  promptfoo(
    "perplexity, recorded as a score",
    { clause: "score", name: "perplexity", at_most: 5 },
    scored(9),
    scored(2),
  ),
  promptfoo(
    "guardrails, recorded as a finish reason",
    {
      clause: "calls",
      kind: "model_call",
      attributes: { finish_reason: "content_filter" },
      never: true,
    },
    [model(40, { finish_reason: ["content_filter"] }), end()],
  ),
  promptfoo("is-valid-openai-tools-call, is-valid-function-call", null),
  promptfoo("is-refusal", null),
  promptfoo("contains, equals, regex, is-json and all others on the answer", null),

  agentevals("strict", { clause: "trajectory", match: "strict", steps }, swapped),
  agentevals("unordered", { clause: "trajectory", match: "unordered", steps }, twice),
  agentevals("subset", { clause: "trajectory", match: "subset", steps }, twice),
  agentevals("superset", { clause: "trajectory", match: "superset", steps }, without("refund")),
  agentevals(
    "tool_args_match_mode: exact",
    { clause: "trajectory", match: "strict", steps, compare: ["arguments"] },
    otherArguments,
  ),
  agentevals(
    "tool_args_match_mode: ignore",
    { clause: "trajectory", match: "strict", steps },
    swapped,
  ),
  agentevals(
    "tool_args_match_overrides: exact or ignore for a tool",
    [
      { clause: "trajectory", match: "strict", steps },
      { clause: "arguments", tool: "lookup", any_of: [key] },
    ],
    otherArguments,
  ),
  agentevals("tool_args_match_mode: subset, superset", null),
  agentevals("tool_args_match_overrides: fields or a comparator", null),
  agentevals(
    "graph trajectory, strict match",
    {
      clause: "trajectory",
      match: "strict",
      of: "calls",
      steps: [
        { kind: "tool", name: "lookup" },
        { kind: "model", name: "gpt-5" },
        { kind: "tool", name: "refund" },
      ],
    },
    swapped,
  ),
  agentevals("LLM as judge", null),

  scouter("SpanSequence", { clause: "trajectory", match: "ordered", steps }, swapped),
  scouter("SpanSet", { clause: "trajectory", match: "superset", steps }, without("refund")),
  scouter("SpanCount", { clause: "calls", tool: "refund", exactly: 1 }, twice),
  scouter("SpanExists", { clause: "calls", operation: "tool_*", at_least: 1 }, [model(40), end()]),
  scouter(
    "SpanAttribute (status, outcome, provider, model)",
    { clause: "each_call", tool: "lookup", outcome_in: ["success"] },
    failed,
  ),
  scouter(
    "SpanAttribute (any of the vocabulary)",
    {
      clause: "calls",
      kind: "model_call",
      attributes: { input_tokens: { at_least: 1, at_most: 200 }, response_model: "gpt-5" },
      exactly: 1,
    },
    [model(40, { input_tokens: 400, response_model: "gpt-5" }), end()],
  ),
  scouter("SpanAttribute (outside of it: it may be content)", null),
  scouter("SpanDuration", { clause: "each_call", tool: "lookup", duration_at_most_ms: 500 }, slow),
  scouter("SpanAggregation (count)", { clause: "calls", tool: "*", at_most: 2 }, twice),
  scouter("SpanAggregation (sum of tokens)", { clause: "tokens", at_most: 150 }, [
    ...usual,
    model(200),
  ]),
  scouter(
    "SpanAggregation (maximum)",
    { clause: "each_call", kind: "model_call", tokens_at_most: 150 },
    [model(40, { input_tokens: 400 }), end()],
  ),
  scouter(
    "SpanAggregation (average)",
    { clause: "statistic", tool: "*", of: "duration_ms", average: true, at_most: 300 },
    slow,
  ),
  scouter("TraceDuration", { clause: "duration", at_most_ms: 6_000 }, [
    ...without("refund").slice(0, -1),
    end({ ms: 9_000, duration_ms: 9_000 }),
  ]),
  scouter("TraceSpanCount", { clause: "calls", operation: "*", at_most: 4 }, twice),
  scouter("TraceErrorCount", fewErrors, failedTwice, failed),
  scouter("TraceServiceCount", { clause: "services", at_most: 2 }, threeServices, twoServices),
  scouter("TraceMaxDepth", { clause: "depth", at_most: 2 }, [
    ...usual,
    tool("lookup", 200, {}, { parent_span_id: usual[0]?.span_id ?? "" }),
  ]),
  scouter("TraceAttribute (release)", { clause: "release", pinned: ["3.*"] }, [
    ...usual.slice(0, -1),
    { ...end(), attributes: { service_version: "4.0" } },
  ]),
  scouter(
    "TraceAttribute (any of the vocabulary)",
    { clause: "calls", kind: "turn", attributes: { service_version: "3.*" }, at_least: 1 },
    [...usual.slice(0, -1), { ...end(), attributes: { service_version: "4.0" } }],
  ),

  assay("require", { clause: "calls", tool: "lookup", at_least: 1 }, without("lookup")),
  assay(
    "eventually (within n steps of the start)",
    { clause: "order", tool: "refund", after: { kind: "turn" }, within_calls: 2 },
    [tool("lookup", 10), tool("lookup", 40), tool("refund", 80), end()],
  ),
  assay("max_calls", { clause: "calls", tool: "refund", at_most: 1 }, twice),
  assay("before", { clause: "order", tool: "lookup", before: { tool: "refund" } }, swapped),
  assay(
    "immediately_before",
    { clause: "order", tool: "lookup", before: { tool: "refund" }, immediately: true },
    [tool("lookup", 10), tool("mail", 40), tool("refund", 80), end()],
  ),
  assay(
    "after (within n steps)",
    { clause: "order", tool: "refund", after: { tool: "lookup" }, within_calls: 1 },
    [tool("lookup", 10), tool("mail", 40), tool("refund", 80), end()],
  ),
  assay(
    "never_after",
    { clause: "order", tool: "lookup", never_after: { tool: "refund" } },
    swapped,
  ),
  assay("sequence", { clause: "trajectory", match: "ordered", steps }, swapped),
  assay("sequence with strict", { clause: "trajectory", match: "strict", steps }, twice),
  assay("sequence: [] (no call)", { clause: "calls", tool: "mail", never: true }, [
    ...usual,
    tool("mail", 200),
  ]),
  assay("blocklist", { clause: "tools", forbidden: ["delete_*"] }, [
    ...usual,
    tool("delete_user", 200),
  ]),
  assay("allowlist", { clause: "tools", allowed: ["lookup", "refund"] }, [
    ...usual,
    tool("mail", 200),
  ]),
  assay("tool_blocklist", { clause: "tools", forbidden: ["delete_*"] }, [
    ...usual,
    tool("delete_user", 200),
  ]),
  assay(
    "trace_must_call_tool (min_calls)",
    { clause: "calls", tool: "lookup", at_least: 1 },
    without("lookup"),
  ),
  assay("trace_must_not_call_tool", { clause: "calls", tool: "mail", never: true }, [
    ...usual,
    tool("mail", 200),
  ]),
  assay("trace_tool_sequence", { clause: "trajectory", match: "strict", steps }, twice),
  assay(
    "trace_tool_sequence with allow_other_tools",
    { clause: "trajectory", match: "ordered", steps },
    swapped,
  ),
  assay("trace_max_steps", { clause: "calls", tool: "*", at_most: 2 }, twice),
  assay("args_valid; argument-scoped never_after", null),
  assay("regex_match, must_contain, must_not_contain, json_schema, semantic similarity", null),

  tracetest("tracetest.selected_spans.count", { clause: "calls", tool: "*", exactly: 2 }, twice),
  tracetest(
    "tracetest.span.duration",
    { clause: "each_call", tool: "*", duration_at_most_ms: 500 },
    slow,
  ),
  tracetest(
    "attr of status, outcome, provider, model with = and !=",
    { clause: "calls", tool: "*", outcome: ["error", "provider_error"], never: true },
    failed,
  ),
  tracetest(
    "attr of duration and tokens with <, <=, >, >=",
    { clause: "each_call", kind: "model_call", tokens_at_most: 150 },
    [model(40, { input_tokens: 400 }), end()],
  ),
  tracetest(
    "selector with contains on a name",
    { clause: "calls", tool: "*fun*", at_most: 1 },
    twice,
  ),
  tracetest(
    "selectors joined with OR",
    { clause: "calls", tool: ["mail", "refund"], at_most: 1 },
    twice,
  ),
  tracetest("attr:service.name", { clause: "services", pinned: ["support-desk"] }, twoServices),
  tracetest("selector by position", { clause: "trajectory", match: "strict", steps }, swapped),
  tracetest(
    "selector of a descendant",
    { clause: "calls", tool: "refund", inside: { tool: "lookup" }, never: true },
    nested,
  ),
  tracetest("attr with contains, json_path, regular expressions", null),
];
