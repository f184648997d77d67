/**
 * Random pairs of windows (evidence: Compare): the same history under other ids shows no change,
 * one changed fact shows that change alone, and structure that is broken shows as broken.
 */
import {
  buildCausalWaterfall,
  buildTraceHealth,
  compareTraceWindows,
  findInsights,
  orphanSpans,
} from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { honestWindow } from "./oracle/honest-windows.ts";
import { randomOf } from "./oracle/random.ts";
import { whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const seeds = Array.from({ length: 80 }, (_, seed) => seed);
const metadata = { baselineMetadata: whole, candidateMetadata: whole };
const attributesOf = (event: Json): Json => event["attributes"] as Json;

/** An honest window with one operation of every kind that a comparison looks into. */
function window(seed: number): Json[] {
  const { events } = honestWindow(seed);
  const [first] = events as [Json];
  const add = (kind: string, attributes: Json, extra: Json = {}): Json => {
    const { producer_seq: _seq, attributes: _attributes, status: _status, ...base } = first;
    const { span_id: _span, task_id: _task, ingest_trusted: _trusted, ...turn } = base;
    const id = { event_id: `seen-${kind}`, event_kind: kind, span_id: `seen-${kind}` };
    return { ...turn, ...id, phase: "result", status: "success", attributes, ...extra };
  };
  const turn = first;
  const page = { client_page_id: "page-7", canonical_page_id: "page-7" };
  const note = { resource_type: "note", ref: "n-1", version: "1" };
  const candidates = [
    { selected: true, resource: { ...note, ownership_verified: true } },
    { selected: false, resource: { ...note, ref: "n-2", ownership_verified: false } },
  ];
  return [
    ...events,
    add("cache_decision", { cache_decision: "miss", cache_bypass_reason: "none" }),
    add("context_binding", {
      ...page,
      thread_binding_status: "matched",
      ownership_verified: true,
      canonical_page_type: "invoice",
      grounding_status: "ready",
      grounding_source: "stored_text",
      grounding_excerpt_count: 2,
    }),
    add("memory_supply", { supplied_count: 4, history_count: 2, memory_degraded: false }),
    add("memory_retrieval", { retrieved_count: 9 }),
    add("memory_selection", {}, { selection_ledger: candidates }),
    add(
      "turn",
      { input_tokens: 300, output_tokens: 90 },
      { turn_id: `${String(turn["turn_id"])}.told` },
    ),
    add(
      "tool_call",
      { tool_name: "search", tool_outcome: "success" },
      {
        input_refs: [{ ...note, ownership_verified: true, provenance_status: "verified" }],
      },
    ),
    add(
      "model_call",
      {
        model: "m-1",
        provider: "p",
        finish_reason: ["stop"],
        input_tokens: 100,
        output_tokens: 50,
        cached_tokens: 10,
      },
      { operation: "chat m-1" },
    ),
  ];
}

const idFields = ["event_id", "span_id", "parent_span_id", "turn_id", "root_trace_id", "run_id"];

/** The same history another day, under other ids. */
function again(events: readonly Json[]): Json[] {
  const day = (time: unknown): unknown =>
    typeof time === "string" ? new Date(Date.parse(time) + 86_400_000).toISOString() : time;
  return events.map((event) => {
    const copy = structuredClone(event);
    for (const field of idFields) {
      if (typeof copy[field] === "string") copy[field] = `${copy[field]}-again`;
    }
    for (const field of ["timestamp", "received_at", "started_at"]) copy[field] = day(copy[field]);
    const attributes = attributesOf(copy);
    const producing = attributes["producing_span_id"];
    if (typeof producing === "string") attributes["producing_span_id"] = `${producing}-again`;
    if (copy["started_at"] === undefined) delete copy["started_at"];
    if (copy["received_at"] === undefined) delete copy["received_at"];
    return copy;
  });
}

const isSeen = (event: Json, kind: string): boolean =>
  String(event["event_id"]).startsWith(`seen-${kind}`);
type Stated = string | number | boolean | null;
const changing = (events: readonly Json[], kind: string, change: (event: Json) => Json): Json[] =>
  events.map((event) => (isSeen(event, kind) ? change(event) : event));

test("the same history under other ids, in any order, is no change", () => {
  for (const seed of seeds) {
    const events = window(seed);
    const random = randomOf(seed);
    const other = again(events).toSorted(() => random.below(3) - 1);
    const { counts, diagnostics, sources, artifacts, contracts, deliveries, verdicts } =
      compareTraceWindows(events, other, metadata);
    expect([seed, counts.added, counts.removed, counts.changed]).toEqual([seed, 0, 0, 0]);
    const results = [...sources, ...artifacts, ...contracts, ...deliveries];
    expect(results.filter(({ change }) => change !== "unchanged")).toEqual([]);
    expect(diagnostics.filter(({ presence }) => presence !== "in_both")).toEqual([]);
    expect(verdicts.baseline).toBe(verdicts.candidate);
  }
});

const refs = (event: Json, fields: Json): Json => ({
  ...event,
  input_refs: (event["input_refs"] as Json[]).map((ref) => ({ ...ref, ...fields })),
});

test.each<[string, string, Stated, Stated]>([
  ["cache_decision", "cache_decision", "hit", "miss"],
  ["cache_decision", "cache_bypass_reason", "policy", "none"],
  ["memory_supply", "supplied_count", 5, 4],
  ["memory_supply", "history_count", 0, 2],
  ["memory_supply", "memory_degraded", true, false],
  ["memory_supply", "summary_count", 1, null],
  ["memory_retrieval", "retrieved_count", 8, 9],
  ["context_binding", "thread_binding_status", "mismatch", "matched"],
  ["context_binding", "grounding_status", "stale", "ready"],
  ["context_binding", "grounding_source", "live_page", "stored_text"],
  ["context_binding", "grounding_excerpt_count", 3, 2],
  ["context_binding", "canonical_page_type", "order", "invoice"],
  ["tool_call", "tool_outcome", "empty", "success"],
  ["model_call", "input_tokens", 150, 100],
  ["model_call", "output_tokens", 20, 50],
  ["model_call", "cached_tokens", 0, 10],
  ["model_call", "reasoning_tokens", 7, null],
  ["model_call", "model", "m-2", "m-1"],
  ["turn", "input_tokens", 900, 300],
])("%s: %s becomes %s, and that alone is the change", (kind, field, is, was) => {
  for (const seed of seeds.slice(0, 20)) {
    const events = window(seed);
    const after = changing(again(events), kind, (event) => ({
      ...event,
      ...(field === "model" ? { operation: `chat ${String(is)}` } : {}),
      attributes: { ...attributesOf(event), [field]: is },
    }));
    const { operations } = compareTraceWindows(events, after, metadata);
    const changed = operations.filter(({ change }) => change !== "unchanged");
    expect(changed.map(({ event_kind, changes }) => [event_kind, changes])).toEqual([
      [kind, [{ field, baseline: was === null ? null : String(was), candidate: String(is) }]],
    ]);
    const back = compareTraceWindows(after, events, metadata).operations;
    expect(back.flatMap(({ changes }) => changes.map(({ candidate }) => candidate))).toEqual([
      was === null ? null : String(was),
    ]);
  }
});

const candidate = (event: Json, index: number): Json => {
  const ledger = event["selection_ledger"] as { resource: Json }[];
  const { resource } = ledger[index] as { resource: Json };
  const denied = { ...ledger[index], resource: { ...resource, ownership_verified: false } };
  return { ...event, selection_ledger: ledger.with(index, denied) };
};

test.each<[string, (event: Json) => Json, string, string, string]>([
  [
    "tool_call",
    (event) => refs(event, { ownership_verified: false }),
    "ownership",
    "1 verified",
    "1 failed",
  ],
  [
    "tool_call",
    (event) => refs(event, { provenance_status: "missing" }),
    "provenance",
    "1 verified",
    "1 missing",
  ],
  [
    "context_binding",
    (event) => ({ ...event, attributes: { ...attributesOf(event), ownership_verified: false } }),
    "ownership",
    "1 verified",
    "1 failed",
  ],
  ["memory_selection", (event) => candidate(event, 0), "ownership", "1 verified", "1 failed"],
  ["tool_call", (event) => ({ ...event, status: "error" }), "status", "success", "error"],
])("%s %#: the word on it is the change", (kind, change, field, baseline, candidate) => {
  for (const seed of seeds.slice(0, 20)) {
    const events = window(seed);
    const { operations } = compareTraceWindows(
      events,
      changing(again(events), kind, change),
      metadata,
    );
    const changed = operations.filter((row) => row.change !== "unchanged");
    expect(changed.map(({ changes }) => changes)).toEqual([[{ field, baseline, candidate }]]);
  }
});

test("a page mismatch is told by the client's id and the canonical one", () => {
  const found = (events: readonly Json[]): boolean =>
    findInsights(events, { scope: "turn" }).insights.some(
      ({ code }) => code === "page_thread_mismatch",
    );
  for (const seed of seeds) {
    const events = window(seed);
    const random = randomOf(seed);
    const client = random.pick(["page-7", "page-8", undefined]);
    const canonical = random.pick(["page-7", "page-8", undefined]);
    const pages = { client_page_id: client, canonical_page_id: canonical };
    const after = changing(events, "context_binding", (event) => ({
      ...event,
      attributes: JSON.parse(JSON.stringify({ ...attributesOf(event), ...pages })) as Json,
    }));
    const differ = client !== undefined && canonical !== undefined && client !== canonical;
    expect([client, canonical, found(after)]).toEqual([client, canonical, differ]);
  }
});

test("a span that is its own parent is a cycle; one without its parent is an orphan of a whole trace", () => {
  for (const seed of seeds) {
    const events = window(seed);
    const reported = (list: readonly Json[], complete = true): number[] => {
      const normalizationMetadata = { ...whole, window_complete: complete };
      const health = buildTraceHealth(list, { normalizationMetadata });
      return [health.cycles, health.orphan_spans, health.parents_beyond_window];
    };
    const [cycles = 0, orphans = 0, beyond = 0] = reported(events);
    const own = changing(events, "tool_call", (e) => ({ ...e, parent_span_id: e["span_id"] }));
    expect(reported(own)).toEqual([cycles + 1, orphans, beyond]);
    const lost = changing(events, "tool_call", (e) => ({ ...e, parent_span_id: "nowhere" }));
    expect(reported(lost)).toEqual([cycles, orphans + 1, beyond]);
    expect(reported(lost, false)).toEqual([cycles, 0, orphans + beyond + 1]);
    for (const list of [events, own, lost] as unknown as readonly TurnEvent[][]) {
      for (const trace of Map.groupBy(list, (event) => event.root_trace_id).values()) {
        const [, both = 0] = reported(trace as unknown as readonly Json[]);
        expect(orphanSpans(trace)(trace) ?? 0).toBe(both);
      }
    }
    const nodes = buildCausalWaterfall(own).groups.flatMap((group) => group.nodes);
    expect(nodes.filter((node) => node.event_id === "seen-tool_call")).toMatchObject([
      { cycle: true },
    ]);
  }
});
