/**
 * Records, pages and counts that were written from the requirements and the design alone: every
 * version and store through one normalizer, what a page may claim, and what is counted as what.
 */
import {
  buildPage,
  countTools,
  defineCoverageProfiles,
  joinPages,
  normalize,
  readCoverage,
  readSupply,
  reconcileOutcome,
} from "@turnproof/evidence";
import type { EventPage, NormalizationError, TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { at, intent, success } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const identity = {
  agent_id: "clerk",
  user_id: "customer-8",
  thread_id: "dialog-3",
  root_trace_id: "9d2f1c0b7a6e4d5c8b3a291807f6e5d4",
  turn_id: "round-1",
};
const bundle = (
  version: number | string | undefined,
  events: unknown[],
  extra: Json = {},
): Json => ({
  type: "trace_bundle",
  ...(version === undefined ? {} : { version }),
  identity,
  events,
  ...extra,
});
const child = (event_kind: string, extra: Json = {}): Json => ({
  schema_version: 3,
  event_id: `one-${event_kind}`,
  event_kind,
  timestamp: "2026-11-21T08:00:00Z",
  ...extra,
});
const codesOf = (rows: readonly unknown[]): string[] =>
  normalize(rows).errors.map(({ code }) => code);

describe("versions and stores", () => {
  test("versions 1, 2 and 3 of one turn are normalized together, in one shape", () => {
    const { events, errors, bundle_count } = normalize([
      bundle(undefined, [
        { event_type: "turn_start", id: "old", timestamp: "2026-11-21T07:59:59Z" },
      ]),
      bundle(2, [child("tool_call", { phase: "result", status: "success" })]),
      bundle(3, [child("delivery", { attributes: { emitted: true, acknowledged: null } })]),
    ]);
    expect(errors).toEqual([]);
    expect(bundle_count).toBe(3);
    expect(events.map((event) => event.event_kind)).toEqual(["turn", "tool_call", "delivery"]);
    for (const event of events) expect(event).toMatchObject(identity);
    expect(events[2]?.attributes).toEqual({ emitted: true, acknowledged: null });
  });

  test.each([
    ["intent_plan", "intent"],
    ["context_binding", "context_binding"],
    ["memory_retrieval", "memory_retrieval"],
    ["memory_selection", "memory_selection"],
    ["memory_supply", "memory_supply"],
    ["model_call", "model_call"],
    ["tool_call", "tool_call"],
    ["application_action", "application_action"],
    ["queue_transition", "queue_transition"],
    ["artifact_persisted", "artifact"],
    ["artifact_validated", "artifact"],
    ["output_contract", "contract"],
    ["ui_delivery", "delivery"],
    ["verified_outcome", "outcome"],
    ["trace_data_quality", "data_quality"],
  ])("a version 3 child may call its kind %s", (name, kind) => {
    const { events, errors } = normalize([bundle(2, [child(name)])]);
    expect(errors).toEqual([]);
    expect(events.map((event) => event.event_kind)).toEqual([kind]);
  });

  test.each([
    ["turn_start", "turn", "start"],
    ["turn_result", "turn", "result"],
    ["context_provenance", "context_binding", "event"],
    ["memory_context", "memory_supply", "event"],
    ["model_call", "model_call", "start"],
    ["model_result", "model_call", "result"],
    ["tool_call", "tool_call", "start"],
    ["tool_result", "tool_call", "result"],
  ])("a version 1 child may call its kind %s", (name, kind, phase) => {
    const old = { event_type: name, id: "x", timestamp: "2026-11-21T08:00:00Z" };
    expect(normalize([bundle(1, [old])]).events).toMatchObject([{ event_kind: kind, phase }]);
  });

  test("an old child without an id gets the same one whenever it is read", () => {
    const old = {
      event_type: "tool_result",
      timestamp: "2026-11-21T08:00:00Z",
      data: { tool: "x" },
    };
    const read = (): unknown => normalize([bundle(1, [old])]).events[0]?.event_id;
    expect(read()).toBe(read());
    expect(read()).toBeTypeOf("string");
  });

  test("times keep every digit and become UTC", () => {
    const written = ["2026-11-21T08:00:00.123456789Z", "2026-11-21T10:00:00.5+02:00"];
    const children = written.map((timestamp, i) =>
      child("intent", { event_id: `${i}`, timestamp }),
    );
    expect(normalize([bundle(2, children)]).events.map((event) => event.timestamp)).toEqual([
      "2026-11-21T08:00:00.123456789Z",
      "2026-11-21T08:00:00.5Z",
    ]);
  });

  test("separate turns that share a root do not overwrite each other", () => {
    const stable = child("feedback", { external_id: "job", attributes: { rating: 1 } });
    const second = { ...bundle(2, [stable]), identity: { ...identity, turn_id: "round-2" } };
    const { events, duplicates_removed } = normalize([bundle(2, [stable]), second]);
    expect(events.map((event) => event.turn_id)).toEqual(["round-1", "round-2"]);
    expect(duplicates_removed).toBe(0);
  });

  test("an upsert shows the latest content, whatever the order of the rows", () => {
    const stated = (rating: number, second: number): Json =>
      bundle(2, [
        child("feedback", {
          external_id: "job",
          timestamp: `2026-11-21T08:00:0${second}Z`,
          attributes: { rating },
        }),
      ]);
    for (const rows of [
      [stated(1, 1), stated(-1, 2)],
      [stated(-1, 2), stated(1, 1)],
    ]) {
      expect(normalize(rows).events).toMatchObject([{ revision: 2, attributes: { rating: -1 } }]);
    }
  });

  test("a log row stays while the trace holds no result of the call", () => {
    const log = {
      source_store: "tool_log",
      id: "row",
      tool_name: "rank",
      tool_call_id: "call-1",
      user_id: "customer-8",
      thread_id: "dialog-3",
      timestamp: "2026-11-21T08:00:01Z",
    };
    const call = (phase: string): Json =>
      bundle(2, [
        child("tool_call", { phase, attributes: { tool_name: "rank", tool_call_id: "call-1" } }),
      ]);
    expect(normalize([log, call("start")]).events).toHaveLength(2);
    expect(normalize([log, call("result")]).events).toMatchObject([{ event_kind: "tool_call" }]);
  });
});

describe("findings of the normalizer", () => {
  test.each<[string, unknown]>([
    ["invalid_source_row", 5],
    [
      "invalid_bundle",
      { record_type: "trace_bundle", payload: { type: "trace_bundle", version: 2 } },
    ],
    ["empty_bundle", bundle(2, [])],
    ["bundle_count_mismatch", bundle(2, [child("intent")], { event_count: 2 })],
    ["invalid_event", bundle(2, [child("no_such_kind")])],
    ["child_identity_mismatch", bundle(2, [child("intent", { thread_id: "another" })])],
    ["invalid_event_id", bundle(2, [child("intent", { event_id: ["x"] })])],
    ["unsupported_schema", bundle(2, [child("intent", { schema_version: 7 })])],
    ["invalid_task_id", bundle(2, [child("intent", { task_id: 3 })])],
    [
      "invalid_source_ids",
      bundle(2, [child("context_binding", { attributes: { grounding_source_ids: 4 } })]),
    ],
    ["invalid_metadata", bundle(2, [child("tool_call", { attributes: { prompt: "x" } })])],
  ])("%s", (code, row) => {
    expect(codesOf([row])).toEqual([code]);
  });

  test("any of them makes a window untrusted, and keeps it from success", () => {
    const { errors, normalization_errors } = normalize([bundle(2, [])]);
    const page = pageOf(success(), { errors });
    const joined = joinPages([{ cursor: null, page }]);
    expect(joined.normalization_metadata).toMatchObject({
      read_completeness: "untrusted",
      window_complete: false,
      normalization_errors,
    });
    const options = { normalizationMetadata: joined.normalization_metadata };
    expect(reconcileOutcome(joined.events, options).status).toBe("partial");
  });
});

function pageOf(
  events: readonly Json[],
  about: { continued?: boolean; next?: string; errors?: readonly NormalizationError[] } = {},
): EventPage {
  return buildPage(
    {
      events: events as unknown as TurnEvent[],
      sourceRows: events.length,
      bundleCount: 1,
      duplicatesRemoved: 0,
      errors: about.errors ?? [],
      bounded: false,
    },
    {
      limit: 250,
      continued: about.continued ?? false,
      nextCursor: about.next ?? null,
      asOf: "2999-01-01T00:00:00Z",
    },
  );
}

describe("pages", () => {
  const events = success();

  test.each([
    ["one whole page", {}, true],
    ["a page that goes on", { next: "n" }, false],
    ["the final continuation page", { continued: true }, false],
    ["a page with a failure", { errors: [{ code: "invalid_event", count: 1 }] }, false],
  ])("window_complete of %s", (_what, about, complete) => {
    expect(pageOf(events, about).window_complete).toBe(complete);
  });

  test("a tool count is partial under a cursor and unknown on a failure, never zero", () => {
    const tools = [at(1, "tool_call", { tool_name: "x" }, { phase: "result" })];
    expect(pageOf(tools).metric_states.tool_results).toEqual({ state: "known", value: 1 });
    expect(pageOf(tools, { next: "n" }).metric_states.tool_results.state).toBe("partial");
    const failed = pageOf(tools, { errors: [{ code: "invalid_event", count: 1 }] });
    expect(failed.metric_states.tool_results).toEqual({ state: "unknown", value: null });
    // The legacy number stays an observed count.
    expect(failed.tool_results).toBe(1);
  });

  test("the joined pages are the window, in whatever way they were cut", () => {
    const first = pageOf(events.slice(0, 2), { next: "a" });
    const second = pageOf(events.slice(2), { continued: true });
    const joined = joinPages([
      { cursor: null, page: first },
      { cursor: "a", page: second },
    ]);
    const options = { normalizationMetadata: joined.normalization_metadata };
    expect(reconcileOutcome(joined.events, options).status).toBe("success");
    for (const reads of [
      [{ cursor: "a", page: second }],
      [{ cursor: null, page: first }],
      [
        { cursor: null, page: first },
        { cursor: "b", page: second },
      ],
      [
        { cursor: null, page: first, query: { agent_id: "clerk" } },
        { cursor: "a", page: second, query: {} },
      ],
    ]) {
      expect(joinPages(reads).normalization_metadata.window_complete).toBe(false);
    }
  });
});

describe("counts", () => {
  const tool = (attributes: Json, status = "success"): TurnEvent =>
    at(1, "tool_call", { tool_name: "x", ...attributes }, { phase: "result", status }) as never;

  test("usable is not clean, and a provider error is a failure", () => {
    const counts = countTools([
      tool({ tool_outcome: "success" }),
      tool({ tool_outcome: "empty" }),
      tool({ tool_outcome: "degraded" }),
      tool({ tool_outcome: "fallback" }),
      tool({ tool_outcome: "provider_error" }, "error"),
      tool({ tool_outcome: "error" }, "error"),
      tool({}, "unknown"),
      { ...tool({}), phase: "start" },
    ]);
    expect(counts).toEqual({
      results: 7,
      clean: 1,
      empty: 1,
      degraded: 1,
      fallback: 1,
      provider_error: 1,
      error: 1,
      unknown: 1,
    });
  });

  test("supply has three stages; tone and samples are not measured, nothing said is unknown", () => {
    const supply = readSupply([
      at(1, "memory_retrieval", { retrieved_count: 9 }),
      at(2, "memory_supply", { supplied_count: 4, history_count: 3, writing_sample_count: 1 }),
      at(3, "memory_reference", { referenced_count: 2 }),
    ] as never);
    expect(
      [supply.retrieved, supply.supplied, supply.referenced].map(({ value }) => value),
    ).toEqual([9, 4, 2]);
    const states = new Map(supply.sources.map((one) => [one.source, one.reference_state]));
    expect(states.get("writing_sample")).toBe("not_measured");
    expect(states.get("preference")).toBe("not_measured");
    expect(states.get("history")).toBe("measured");
    expect(readSupply([]).supplied.value).toBeNull();
    expect(readSupply([]).degraded).toBeNull();
  });
});

describe("coverage", () => {
  const result = { phase: "result" };
  const stages: { readonly [stage: string]: Json } = {
    model_call_result: at(2, "model_call", {}, result),
    context_binding: at(2, "context_binding", {}),
    tool_call_result: at(2, "tool_call", {}, result),
    outcome: at(2, "outcome", { outcome: "success", verified: true }),
    intent: at(2, "intent", {}),
    memory_supply: at(2, "memory_supply", { supplied_count: 1 }),
    artifact: at(2, "artifact", {}),
    delivery: at(2, "delivery", {}),
    contract: at(2, "contract", {}),
  };
  const profiles = {
    chat_response: ["model_call_result"],
    content_ingestion: ["context_binding", "tool_call_result", "outcome"],
    content_derived_artifact: ["intent", "memory_supply", "artifact", "delivery", "outcome"],
    interactive_response: ["model_call_result", "contract", "delivery"],
  };
  const covered = (profile: string, there: readonly string[]): ReturnType<typeof readCoverage> => {
    const declared = at(1, "turn", { coverage_profile: profile }, result);
    const events = [declared, ...there.map((stage) => stages[stage] as Json)];
    return readCoverage(events as never, { readCompleteness: "complete" });
  };

  test.each(Object.entries(profiles))("%s requires exactly its stages", (profile, required) => {
    expect(covered(profile, required)).toMatchObject({
      instrumentation: "complete",
      missing_stages: [],
    });
    for (const stage of required) {
      const rest = required.filter((one) => one !== stage);
      expect(covered(profile, rest).missing_stages).toEqual([stage]);
    }
  });

  test("without a declared profile it is unknown, and asks for nothing", () => {
    const coverage = readCoverage([intent()] as never, { readCompleteness: "complete" });
    expect(coverage).toMatchObject({
      instrumentation: "unknown",
      missing_stages: [],
      profiles: [],
    });
  });

  test("an unknown profile is a missing stage until a host registers it", () => {
    expect(covered("nightly_report", ["artifact"]).instrumentation).toBe("partial");
    expect(covered("nightly_report", ["artifact"]).missing_stages).toHaveLength(1);
    const own = defineCoverageProfiles({ nightly_report: ["artifact"] });
    const declared = at(1, "turn", { coverage_profile: "nightly_report" }, result);
    const events = [declared, stages["artifact"]] as never;
    const coverage = readCoverage(events, { readCompleteness: "complete", profiles: own });
    expect(coverage.missing_stages).toEqual([]);
  });

  test("an outcome that nobody verified is not recorded", () => {
    const claimed = at(2, "outcome", { outcome: "success" });
    const events = [claimed] as never;
    const { outcome_verification } = readCoverage(events, { readCompleteness: "complete" });
    expect(outcome_verification).toBe("unknown");
  });
});
