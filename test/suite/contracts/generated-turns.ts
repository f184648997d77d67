/**
 * @module GeneratedTurns: turns of every kind of event, parts of them, and the ways in which a
 * window shows that something is gone.
 */
import fc from "fast-check";
import { digestOfEvidence, evaluateTurns } from "@turnproof/contracts";
import type { ContractResult, EvaluateOptions, TurnContract } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";

import { golden } from "./every-clause.ts";
import { cut, end, step, tool, whole } from "./turns.ts";

type Make = (at: number) => TurnEvent | readonly TurnEvent[];

const prints = ["k1_aaaaaaaaaaaaaaaaaaaaaaaaaa", "k1_bbbbbbbbbbbbbbbbbbbbbbbbbb"];
const flag = fc.constantFrom(true, false, undefined);
const outcome = fc.constantFrom(
  ...(["success", "error", "fallback", "empty", "degraded", undefined] as const),
);
const dialects = ["turnproof", "vercel_ai", "gen_ai"] as const;
const dialectOf = (dialect: (typeof dialects)[number] | undefined): Partial<TurnEvent> =>
  dialect === undefined ? {} : { dialect };
/** The start of a call as it is recorded beside its end. */
const begun = (made: TurnEvent): TurnEvent => ({
  ...made,
  phase: "start",
  status: "started",
  timestamp: made.started_at ?? made.timestamp,
  event_id: `${made.span_id}:start`,
});
const known = <T>(fields: Record<string, T | undefined>): TurnEvent["attributes"] =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const makes: fc.Arbitrary<Make> = fc.oneof(
  fc
    .record({
      name: fc.constantFrom("a", "b", "c"),
      tool_outcome: outcome,
      call_fingerprint: fc.constantFrom(...prints, undefined),
      result_count: fc.constantFrom(0, 3, undefined),
      retry_count: fc.constantFrom(0, 1, undefined),
      tool_provider: fc.constantFrom("p-1", "p-2", undefined),
      ms: fc.constantFrom(10, 80),
      start: fc.boolean(),
      nested: fc.integer({ min: 0, max: 3 }),
      dialect: fc.constantFrom(...dialects, undefined, undefined, undefined),
    })
    .map(({ name, ms, start, nested, dialect, ...attributes }): Make => (at) => {
      const made = tool(name, at, known(attributes), {
        ms,
        status: attributes.tool_outcome === "error" ? "error" : "success",
        ...dialectOf(dialect),
        ...(nested > 0 ? { parent_span_id: `nest${nested}` } : {}),
      });
      return start ? begun(made) : made;
    }),
  // One call by two vocabularies or in two spans of one, nested or beside each other.
  fc
    .record({
      name: fc.constantFrom("a", "b", "c"),
      outer: outcome,
      inner: outcome,
      later: fc.integer({ min: 0, max: 2 }),
      nested: fc.boolean(),
      by: fc.constantFrom(...dialects, undefined),
      beside: fc.constantFrom(...dialects),
      retries: fc.constantFrom(0, 1, undefined),
      print: fc.constantFrom(...prints, undefined),
    })
    .map(({ name, outer, inner, later, nested, by, beside, retries, print }): Make => (at) => {
      const around = tool(name, at, known({ tool_outcome: outer, retry_count: 0 }), {
        ms: 60,
        ...dialectOf(by),
        status: outer === "error" ? "error" : "success",
      });
      const within = known({
        tool_outcome: inner,
        retry_count: retries,
        call_fingerprint: print,
      });
      const again = tool(name, at + later, within, {
        ms: 40,
        ...dialectOf(beside),
        span_id: `again${at}`,
        event_id: `again${at}:result`,
        status: inner === "error" ? "error" : "success",
        ...(nested && around.span_id !== undefined ? { parent_span_id: around.span_id } : {}),
      });
      return [around, again];
    }),
  // A start beside its end, which records other values.
  fc
    .record({
      name: fc.constantFrom("a", "b", "c"),
      result_count: fc.constantFrom(0, 3, undefined),
      call_fingerprint: fc.constantFrom(...prints, undefined),
      tool_provider: fc.constantFrom("p-1", "p-2", undefined),
    })
    .map(({ name, ...ended }): Make => (at) => {
      const first = { result_count: 3, call_fingerprint: prints[1], tool_provider: "p-2" };
      return [begun(tool(name, at, known(first))), tool(name, at, known(ended))];
    }),
  // A wrapper around one or two calls of a model, which are measured.
  fc
    .record({
      outer: fc.constantFrom(0, 2, undefined),
      inner: fc.array(fc.constantFrom(0, 1, 2, undefined), { minLength: 1, maxLength: 2 }),
      fallback_used: flag,
    })
    .map(({ outer, inner, fallback_used }): Make => (at) => {
      const around = step("model_call", at, known({ model: "m-1", retry_count: outer }), {
        ms: 60,
      });
      const tokens = { model: "m-2", input_tokens: 100, output_tokens: 20 };
      const within = inner.map((retry_count, index) =>
        step("model_call", at + 1, known<unknown>({ ...tokens, retry_count, fallback_used }), {
          span_id: `inner${at}-${index}`,
          event_id: `inner${at}-${index}:result`,
          parent_span_id: around.span_id ?? "",
        }),
      );
      return [around, ...within];
    }),
  // Spans around calls of tools: a tool's own, a host's, a model's.
  fc
    .record({
      nested: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom("tool_call" as const, "span" as const, "model_call" as const),
      name: fc.constantFrom("a", "b"),
      failed: fc.boolean(),
    })
    .map(
      ({ nested, kind, name, failed }): Make =>
        (at) =>
          step(kind, at, kind === "tool_call" ? { tool_name: name } : {}, {
            span_id: `nest${nested}`,
            event_id: `nest${nested}:result`,
            ms: 900,
            status: failed ? "error" : "success",
          }),
    ),
  fc
    .record({
      model: fc.constantFrom("m-1", "m-2", undefined),
      response_model: fc.constantFrom("m-1", "m-3", undefined),
      input_tokens: fc.constantFrom(100, 200, undefined),
      output_tokens: fc.constantFrom(20, undefined),
      retry_count: fc.constantFrom(0, 2, undefined),
      ttft_ms: fc.constantFrom(50, 200, undefined),
      finish_reason: fc.constantFrom(["stop"], ["length"], undefined),
    })
    .map(
      (attributes): Make =>
        (at) =>
          step("model_call", at, known(attributes)),
    ),
  fc
    .record({
      supplied_count: fc.constantFrom(0, 2, undefined),
      retrieved_count: fc.constantFrom(0, 1),
      referenced_count: fc.constantFrom(0, 1, 2),
      memory_degraded: flag,
      memory_fallback_used: flag,
    })
    .map(
      (attributes): Make =>
        (at) =>
          step("memory_supply", at, known(attributes)),
    ),
  fc.constantFrom("miss", "hit").map(
    (cache_decision): Make =>
      (at) =>
        step("cache_decision", at, { cache_decision }),
  ),
  fc
    .record({
      ownership_verified: flag,
      thread_binding_status: fc.constantFrom("matched", "mismatch", undefined),
      grounding_status: fc.constantFrom("ready", "missing", undefined),
    })
    .map(
      (attributes): Make =>
        (at) =>
          step("context_binding", at, known(attributes)),
    ),
  fc
    .record({
      artifact_status: fc.constantFrom("created", "deleted", "failed"),
      persistence_verified: flag,
      provenance_status: fc.constantFrom("verified" as const, "failed" as const),
    })
    .map(
      ({ provenance_status, ...attributes }): Make =>
        (at) =>
          step("artifact", at, known<unknown>({ artifact_type: "report", ...attributes }), {
            output_refs: [{ resource_type: "report", ref: "r-1", version: "1" }],
            input_refs: [{ resource_type: "document", ref: "d-1", provenance_status }],
          }),
    ),
  fc.record({ emitted: flag, acknowledged: flag }).map(
    (stated): Make =>
      (at) =>
        step("delivery", at, known<unknown>({ delivery_target: "browser", ...stated })),
  ),
  fc.record({ parser_status: fc.constantFrom("success", "failed"), recovery_used: flag }).map(
    (stated): Make =>
      (at) =>
        step("contract", at, known<unknown>({ contract_name: "feed", ...stated })),
  ),
  fc
    .record({
      verified: flag,
      outcome: fc.constantFrom("done", "failure"),
      source: fc.constantFrom("desk", undefined),
    })
    .map(
      (stated): Make =>
        (at) =>
          step("outcome", at, known<unknown>(stated)),
    ),
  fc.constantFrom(0.2, 0.9).map(
    (score): Make =>
      (at) =>
        step("outcome", at, { evaluation_name: "faithful", score }),
  ),
  fc.constant<Make>((at) => step("intent", at, { intent_name: "answer" })),
  fc.constant<Make>((at) => step("span", at, {}, { service_name: "queue" })),
  fc.constant<Make>((at) =>
    step("span", at, { deployment_environment: "production", coverage_profile: "chat_response" }),
  ),
  fc.constantFrom("error" as const, "success" as const).map(
    (status): Make =>
      (at) =>
        step("application_action", at, {}, { status }),
  ),
  // A turn inside of the turn, whose result is not this turn's.
  fc.constantFrom("error" as const, "success" as const).map(
    (status): Make =>
      (at) =>
        step("turn", at, { service_version: "4.0" }, { status }),
  ),
);

/** A turn, ended or not. */
export const turns: fc.Arbitrary<TurnEvent[]> = fc
  .record({
    parts: fc.array(makes, { maxLength: 12 }),
    gaps: fc.array(fc.constantFrom(0, 20, 200), { minLength: 12, maxLength: 12 }),
    ended: fc.integer({ min: 0, max: 5 }),
    status: fc.constantFrom("success" as const, "error" as const),
    ms: fc.constantFrom(1_000, 5_000),
    /** The turn's own span has a parent that is in no evidence. */
    remote: fc.boolean(),
    /** The turn has the id of a host, which names no span. */
    hosted: fc.boolean(),
  })
  .map(({ parts, gaps, ended, status, ms, remote, hosted }) => {
    let at = 1;
    const made = parts.flatMap((make, index) => make((at += (gaps[index] ?? 0) + 1)));
    const unique = [...new Map(made.map((event) => [event.event_id, event])).values()];
    const result = {
      ...end({ status, ms }),
      ...(remote ? { parent_span_id: "caller" } : {}),
    };
    const begun = result.started_at ?? result.timestamp;
    const start = { phase: "start", status: "started", timestamp: begun } as const;
    const events =
      ended === 0
        ? [{ ...result, ...start, event_id: `${result.span_id}:start` }, ...unique]
        : [...unique, result];
    return hosted ? events.map((event) => ({ ...event, turn_id: "turn_w1" })) : events;
  });

/** A turn, and a real part of it as an outage leaves it. */
export const parts: fc.Arbitrary<readonly [readonly TurnEvent[], readonly TurnEvent[]]> = turns
  .chain((events) =>
    fc.tuple(
      fc.constant(events),
      fc.oneof(
        fc.record({ one: fc.nat(events.length - 1) }),
        fc.record({ suffix: fc.integer({ min: 1, max: events.length }) }),
        fc.constant({ own: true } as const),
        fc.record({
          kept: fc.array(fc.boolean(), { minLength: events.length, maxLength: events.length }),
        }),
      ),
    ),
  )
  .map(([events, gone]) => [events, events.filter((event, at) => stays(event, at, gone, events))]);

type Gone =
  | { readonly one: number }
  | { readonly suffix: number }
  | { readonly own: true }
  | { readonly kept: readonly boolean[] };

/** Gone are one event, the last ones, those of the turn's own span, or some. */
function stays(event: TurnEvent, at: number, gone: Gone, all: readonly TurnEvent[]): boolean {
  if ("one" in gone) return at !== gone.one;
  if ("suffix" in gone) return at < all.length - gone.suffix;
  if ("own" in gone) return event.span_id !== end().span_id;
  return gone.kept[at] === true;
}

/** How a window shows that something is gone, by the reason that it gives. */
export const gaps: Readonly<Record<string, (all: readonly TurnEvent[]) => EvaluateOptions>> = {
  "no metadata": () => ({}),
  "not complete": () => ({ metadata: { ...whole, window_complete: false } }),
  truncated: () => ({ metadata: cut }),
  "read in part": () => ({ metadata: { ...whole, read_completeness: "partial" } }),
  "not normalized": () => ({ metadata: { ...whole, normalization_errors: 1 } }),
  "count mark": (all) => ({ metadata: whole, marks: { event_count: all.length } }),
  "digest mark": (all) => ({ metadata: whole, marks: { digest: digestOfEvidence(all) } }),
  "known loss": () => ({ metadata: { ...whole, known_loss: 1 } }),
  sampled: () => ({ metadata: { ...whole, sampled_out: 1 } }),
};

const options: EvaluateOptions = {
  goldens: [golden],
  otherwise: null,
  priceOf: ({ input_tokens }) => (input_tokens === null ? null : input_tokens / 100),
};

/** Result of each contract on the turn, by its name; one that does not apply has none. */
export function resultsOf(
  events: readonly TurnEvent[],
  contracts: readonly TurnContract[],
  how: EvaluateOptions,
): ReadonlyMap<string, ContractResult> {
  const [turn] = evaluateTurns(events, contracts, { ...options, ...how });
  return new Map(turn?.contracts.map((result) => [result.contract, result]));
}
