/** Pages, their metric states and coverage, joined windows, and cursors (evidence: Health). */
import { CodedError } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { defineCoverageProfiles, readCoverage } from "./coverage.ts";
import { decodeCursor, encodeCursor, filterHashInput } from "../event/cursor.ts";
import { digestInput, digestLines } from "../event/digest.ts";
import type { TurnEvent } from "../event/event.ts";
import { joinPages } from "./join-pages.ts";
import { buildPage } from "./page.ts";
import { reconcileOutcome } from "../reconcile/reconcile.ts";
import { summarize } from "../insights/summary.ts";

function event(id: string, more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: id,
    event_kind: "model_call",
    phase: "result",
    status: "success",
    timestamp: `2026-03-01T10:00:00.${id.padStart(3, "0")}Z`,
    agent_id: "a",
    user_id: "u1",
    thread_id: "t",
    root_trace_id: "r",
    turn_id: "n",
    attributes: {},
    ...more,
  };
}

const slice = (
  events: readonly TurnEvent[],
  more: object = {},
): Parameters<typeof buildPage>[0] => ({
  events,
  sourceRows: events.length,
  bundleCount: 1,
  duplicatesRemoved: 0,
  errors: [],
  bounded: false,
  ...more,
});
const whole = { limit: 250, continued: false, nextCursor: null };
const failure = { code: "invalid_event", count: 2 };

test("a page has its fields, and a window is complete only without cursor, bound and failure", () => {
  const page = buildPage(slice([event("1")]), whole);
  expect(Object.keys(page)).toEqual([
    "items",
    "source_rows",
    "bundle_count",
    "normalized_events",
    "normalization_errors",
    "errors",
    "duplicates_removed",
    "coverage",
    "metric_states",
    "next_cursor",
    "as_of",
    "quarantined_roots",
    "losses",
    "narrowed",
    "window_complete",
    "limit",
    "tool_calls",
    "tool_results",
    "tool_failures",
    "model_results",
    "memory_candidates",
    "memory_supplied",
    "artifacts",
    "contracts",
    "deliveries",
    "outcomes",
  ]);
  expect(page.window_complete).toBe(true);
  expect(buildPage(slice([]), { ...whole, continued: true }).window_complete).toBe(false);
  expect(buildPage(slice([]), { ...whole, nextCursor: "c" }).window_complete).toBe(false);
  expect(buildPage(slice([], { bounded: true }), whole).window_complete).toBe(false);
  const failed = buildPage(slice([], { errors: [failure], bounded: true }), whole);
  expect(failed.coverage.read_completeness).toBe("untrusted");
  expect(failed).toMatchObject({ window_complete: false, normalization_errors: 2 });
});

test("metric states: known, partial, not measured, unknown; the legacy numbers stay counts", () => {
  const events = [
    event("1"),
    event("2", {
      event_kind: "tool_call",
      span_id: "s",
      attributes: { tool_outcome: "provider_error" },
    }),
    event("3", { event_kind: "tool_call", span_id: "s", phase: "start", status: "started" }),
    event("4", { event_kind: "tool_call", span_id: "x", phase: "start", status: "started" }),
    event("5", { event_kind: "memory_supply", phase: "event", attributes: { supplied_count: 2 } }),
    event("6", { event_kind: "memory_supply", phase: "event" }),
  ];
  const page = buildPage(slice(events), whole);
  expect(page).toMatchObject({
    tool_calls: 2,
    tool_results: 1,
    tool_failures: 1,
    memory_supplied: 2,
  });
  expect(page.metric_states).toMatchObject({
    tool_calls: { state: "known", value: 2 },
    tool_failures: { state: "known", value: 1 },
    memory_candidates: { state: "not_measured", value: null },
    memory_supplied: { state: "partial", value: 2 },
    deliveries: { state: "not_measured", value: null },
  });
  const cut = buildPage(slice(events), { ...whole, nextCursor: "c" });
  expect(new Set(Object.values(cut.metric_states).map(({ state }) => state))).toEqual(
    new Set(["partial"]),
  );
  const failed = buildPage(slice(events, { errors: [failure] }), whole);
  expect(failed.metric_states.tool_calls).toEqual({ state: "unknown", value: null });
  expect(failed.tool_calls).toBe(2);
});

test("pages joined by every cursor are complete; any break, gap or failure says so", () => {
  const read = (cursor: string | null, next: string | null, id: string, more = {}) => ({
    cursor,
    query: { root_trace_id: "r" },
    page: buildPage(slice([event(id)], more), {
      limit: 1,
      continued: cursor !== null,
      nextCursor: next,
      asOf: "2026-03-01T11:00:00Z",
    }),
  });
  const chain = [read(null, "b", "3"), read("b", "c", "2"), read("c", null, "1")];
  const metadata = (reads: typeof chain) => joinPages(reads).normalization_metadata;
  const last = chain[2] as (typeof chain)[number];
  const marked = (as_of: string | null) => ({ ...last, page: { ...last.page, as_of } });
  expect(metadata(chain)).toMatchObject({
    window_complete: true,
    truncated: false,
    read_completeness: "complete",
    normalization_errors: 0,
    as_of: "2026-03-01T11:00:00Z",
  });
  expect(joinPages([...chain]).events.map((item) => item.event_id)).toEqual(["3", "2", "1"]);
  const broken = [
    chain.slice(1),
    chain.slice(0, 2),
    [chain[0], chain[2]],
    [chain[0], chain[2], chain[1]],
    [{ ...chain[0], query: { root_trace_id: "other" } }, chain[1], chain[2]],
    [read(null, null, "1", { bounded: true })],
    [{ ...last, cursor: null, query: { root_trace_id: "r", status: "success" } }],
    [...chain.slice(0, 2), marked("2026-03-01T11:00:01Z")],
    [...chain.slice(0, 2), marked(null)],
    chain.map(({ page, ...rest }) => ({ ...rest, page: { ...page, as_of: null } })),
  ];
  for (const reads of broken) {
    expect(metadata(reads as typeof chain)).toMatchObject({
      window_complete: false,
      truncated: true,
      read_completeness: "partial",
    });
  }
  expect(metadata([])).toMatchObject({ window_complete: false, read_completeness: "unknown" });
  const failed = [chain[0], read("b", "c", "2", { errors: [failure] }), chain[2]] as typeof chain;
  expect(metadata(failed)).toMatchObject({
    window_complete: false,
    read_completeness: "untrusted",
  });
});

test("what was received after the mark of a walk is no part of its window", () => {
  const events = [
    event("1", { received_at: "2026-03-01T10:00:00Z" }),
    event("2", { received_at: "2026-03-01T10:00:01.000001Z" }),
    event("3"),
  ];
  const page = buildPage(slice(events), { ...whole, asOf: "2026-03-01T10:00:01Z" });
  const joined = joinPages([{ cursor: null, page }]);
  expect(joined.events.map(({ event_id }) => event_id)).toEqual(["1", "3"]);
  expect(joined.normalization_metadata).toMatchObject({
    window_complete: true,
    as_of: "2026-03-01T10:00:01Z",
  });
});

test("stages are checked per tenant, turn and task; no profile is unknown, a foreign one missing", () => {
  const read = (events: readonly TurnEvent[], more = {}) =>
    readCoverage(events, { readCompleteness: "complete", ...more });
  expect(read([event("1")])).toMatchObject({ instrumentation: "unknown", missing_stages: [] });
  const intent = event("i", {
    event_kind: "intent",
    task_id: "k1",
    attributes: { coverage_profile: "interactive_response" },
  });
  const contract = event("c", { event_kind: "contract", task_id: "k1" });
  const delivery = event("d", { event_kind: "delivery", task_id: "k1" });
  const all = [intent, event("m"), contract, delivery];
  expect(read(all)).toMatchObject({ instrumentation: "complete" });
  expect(readCoverage(all, { readCompleteness: "partial" }).instrumentation).toBe("partial");
  for (const change of [
    { user_id: "u2" },
    { turn_id: "n2" },
    { task_id: "k2" },
    { user_id: null },
  ]) {
    const foreign = read([intent, event("m"), contract, { ...delivery, ...change }]);
    expect(foreign).toMatchObject({ instrumentation: "partial", missing_stages: ["delivery"] });
  }
  const unfinished = read([intent, event("m", { phase: "start" }), contract, delivery]);
  expect(unfinished.missing_stages).toEqual(["model_call_result"]);
  const strange = event("s", { attributes: { coverage_profile: "nobody_knows" } });
  expect(read([strange]).missing_stages).toEqual(["profile:nobody_knows"]);
  const profiles = defineCoverageProfiles({ nobody_knows: ["feedback"] });
  expect(read([strange], { profiles }).missing_stages).toEqual(["feedback"]);
  expect(() => defineCoverageProfiles({ bad: ["nothing" as never] })).toThrow(RangeError);
  const outcome = event("o", { event_kind: "outcome", attributes: { verified: true } });
  expect(read([outcome]).outcome_verification).toBe("recorded");
  expect(read([{ ...outcome, ingest_trusted: false }]).outcome_verification).toBe("unknown");
});

test("a cursor opens only for the request that it was made for", () => {
  const binding = {
    filters: filterHashInput({ agent_id: "a" }, "events"),
    scope: "u1",
    role: "viewer",
    view: "events",
    store: "trace",
  };
  const payload = {
    ...binding,
    position: { seq: 4, at: "x" },
    as_of: "2026-03-01T10:00:00Z",
    standing: { at: { root: "r1" }, digest: "d1" },
    expires_at: "2026-03-01T10:15:00Z",
  };
  const text = encodeCursor(payload);
  const now = "2026-03-01T10:14:59.999Z";
  expect(decodeCursor(text, { binding, now })).toEqual(payload);
  const other = filterHashInput({ agent_id: "b" }, "events");
  const refused = [
    () => decodeCursor(text, { binding, now: "2026-03-01T10:15:00Z" }),
    () => decodeCursor(text, { binding: { ...binding, filters: other }, now }),
    () => decodeCursor(text, { binding: { ...binding, scope: "u2" }, now }),
    () => decodeCursor(text, { binding: { ...binding, role: "admin" }, now }),
    () => decodeCursor(text, { binding: { ...binding, view: "bundles" }, now }),
    () => decodeCursor(` ${text}`, { binding, now }),
    () => decodeCursor(text.replace('"x"', "null"), { binding, now }),
    () => decodeCursor(text.replace('"d1"', "7"), { binding, now }),
    () => decodeCursor(text.replace('"r1"', "null"), { binding, now }),
    () => decodeCursor(text.replace("10:00:00Z", "10:00"), { binding, now }),
    () => decodeCursor(text.replace("{", '{"more":1,'), { binding, now }),
    () => decodeCursor("[]", { binding, now }),
    () => decodeCursor("", { binding, now }),
  ];
  for (const open of refused) expect(open).toThrow(CodedError);
  expect(filterHashInput({ user_id: null }, "events")).not.toBe(filterHashInput({}, "events"));
  expect(filterHashInput({ store: "trace" }, "events")).toBe(filterHashInput({}, "events"));
});

test("digest lines are canonical and the digest's input does not know the order", () => {
  const [line] = digestLines([event("1", { revision: 3, source_store: "trace" })]);
  expect(line).toBe(
    digestLines([Object.fromEntries(Object.entries(event("1")).toReversed()) as never])[0],
  );
  expect(digestInput(["B", "a"])).toBe("a\nb\n");
});

test("a summary is bounded counts and an age", () => {
  const events = [
    event("1", { status: "error" }),
    event("2", { event_kind: "feedback", attributes: { rating: -1 } }),
    event("3", {
      event_kind: "cache_decision",
      turn_id: "n2",
      attributes: { cache_decision: "hit" },
    }),
  ];
  const now = "2026-03-01T10:00:01.003Z";
  expect(summarize(events, { now, windowComplete: true })).toMatchObject({
    events: 3,
    turns: 2,
    threads: 1,
    errors: 1,
    negative_feedback: 1,
    cache_decisions: { hit: 1 },
    age_ms: 1000,
    latest_event_at: "2026-03-01T10:00:00.003Z",
  });
  expect(summarize([], { now, windowComplete: false })).toMatchObject({
    latest_event_at: null,
    age_ms: null,
    window_complete: false,
  });
});

test("pages name the roots of which rows are set aside, and only these are no success", () => {
  const rows = [event("1"), event("2", { root_trace_id: "s" })];
  const options = { limit: 9, continued: false, nextCursor: null, asOf: "2026-03-01T11:00:00Z" };
  const page = buildPage(slice(rows), { ...options, quarantinedRoots: ["s", "elsewhere"] });
  expect(page.quarantined_roots).toEqual(["s"]);
  const { normalization_metadata: read } = joinPages([{ cursor: null, page }]);
  expect(read.quarantined_roots).toEqual(["s"]);
  const reasons = (events: readonly TurnEvent[]): readonly string[] =>
    reconcileOutcome(events, { normalizationMetadata: read }).window.reasons;
  expect(reasons(rows)).toEqual(["known_loss"]);
  expect(reasons(rows.slice(0, 1))).toEqual([]);
  // A page of an earlier release lacks the field.
  const { quarantined_roots: _none, ...earlier } = page;
  const joined = joinPages([{ cursor: null, page: earlier as typeof page }]);
  expect(joined.normalization_metadata.quarantined_roots).toEqual([]);
});
