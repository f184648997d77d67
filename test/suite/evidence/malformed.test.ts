/** Malformed input of any shape gives findings and unknown: no exception, no zero, no overflow. */
import {
  buildCausalWaterfall,
  buildLineage,
  buildTraceHealth,
  compareTraceWindows,
  findInsights,
  findLearningCandidates,
  joinPages,
  reconcileOutcome,
} from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { buildWindow, complete, shapes } from "./generated-windows.ts";
import { honestWindow } from "./oracle/honest-windows.ts";
import { randomOf } from "./oracle/random.ts";
import { readsOf } from "./oracle/repage.ts";
import { at, success } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const numRuns = Number(process.env["EVIDENCE_RUNS"] ?? 150);

/** Everything that takes a window; each result must survive JSON. */
function judgeAll(events: readonly unknown[]): void {
  const results = [
    reconcileOutcome(events, { normalizationMetadata: complete }),
    reconcileOutcome(events, { taskId: "task-0" }),
    buildCausalWaterfall(events),
    compareTraceWindows(events, events.toReversed()),
    buildTraceHealth(events, { normalizationMetadata: complete }),
    findInsights(events, { scope: "turn" }),
    findInsights(events, { scope: "window" }),
    buildLineage(events, { ref: "type-0-of-0" }),
    findLearningCandidates(events),
  ];
  for (const result of results) expect(JSON.stringify(result)).toBeTypeOf("string");
}

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withNullPrototype: true, maxDepth: 3 }),
  fc.constantFrom<unknown>(
    Number.NaN,
    Infinity,
    -1,
    "",
    "x".repeat(10_000),
    "__proto__",
    "constructor",
    JSON.parse('{"__proto__":{"polluted":true}}'),
    [],
    [[]],
    [null],
    { ref: 1 },
  ),
);

const fields = [
  "schema_version",
  "event_id",
  "event_kind",
  "phase",
  "status",
  "timestamp",
  "started_at",
  "received_at",
  "duration_ms",
  "producer_seq",
  "span_id",
  "parent_span_id",
  "links",
  "caused_by_event_id",
  "task_id",
  "user_id",
  "turn_id",
  "identity_derived",
  "input_refs",
  "output_refs",
  "selection_ledger",
  "attributes",
  "dropped",
];

test("any JSON in the place of any field", () => {
  const cases = fc.tuple(shapes, fc.constantFrom(...fields), fc.nat(), hostile);
  fc.assert(
    fc.property(cases, ([shape, field, pick, value]) => {
      const events: unknown[] = buildWindow(shape).map(({ event }) => event);
      const at = pick % events.length;
      events[at] = { ...(events[at] as Json), [field]: value };
      judgeAll(events);
    }),
    { numRuns },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("any values in the place of events", () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 8 }), (events) => {
      judgeAll(events);
      expect(reconcileOutcome(events, { normalizationMetadata: complete }).status).toBe("unknown");
    }),
    { numRuns },
  );
});

test("metadata of any shape never makes a success of what it does not say", () => {
  const events = buildWindow({
    turns: 1,
    tasks: 1,
    types: 1,
    contracts: 1,
    superseded: false,
    profile: "none",
    labelled: true,
    namesContract: true,
    anonymous: false,
    noise: 0,
  }).map(({ event }) => event);
  const names = ["window_complete", "truncated", "normalization_errors", "read_completeness"];
  const sound: readonly unknown[] = [true, false, 0, "complete", null, undefined];
  fc.assert(
    fc.property(fc.constantFrom(...names), hostile, (name, value) => {
      if (sound.includes(value) || (Array.isArray(value) && value.length === 0)) return;
      const metadata = { ...complete, [name]: value };
      expect(reconcileOutcome(events, { normalizationMetadata: metadata }).status).toBe("partial");
    }),
    { numRuns },
  );
});

const span = (id: number, parent: number | undefined): Json => ({
  schema_version: 3,
  event_id: `event-${id}`,
  event_kind: "tool_call",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00Z",
  span_id: `span-${id}`,
  ...(parent === undefined ? {} : { parent_span_id: `span-${parent}` }),
  caused_by_event_id: `event-${parent ?? id}`,
  agent_id: "agent",
  user_id: null,
  thread_id: "thread",
  root_trace_id: "root",
  turn_id: "turn",
  attributes: {},
});

test("10,000-deep chains, circles of ids and 1,000 equal instants survive", () => {
  const size = 10_000;
  const chain = Array.from({ length: size }, (_, id) => span(id, id === 0 ? undefined : id - 1));
  judgeAll(chain);
  const nodes = buildCausalWaterfall(chain).groups[0]?.nodes;
  expect(nodes?.at(-1)?.depth).toBe(size - 1);
  const circle = Array.from({ length: size }, (_, id) => span(id, (id + 1) % size));
  judgeAll(circle);
  expect(buildCausalWaterfall(circle).counts).toMatchObject({ nodes: size, cycles: size });
  const shape = { turns: 1, tasks: 1, types: 1, contracts: 1, superseded: true, noise: 0 };
  const flags = { profile: "none", labelled: true, namesContract: true, anonymous: false } as const;
  const tied = Array.from({ length: 100 }, (_, copy) =>
    buildWindow({ ...shape, ...flags }).map(({ event }) => ({
      ...event,
      event_id: `${copy} ${String(event["event_id"])}`,
      timestamp: "2026-11-21T10:00:00Z",
      producer_seq: undefined,
    })),
  ).flat();
  judgeAll(tied);
  const verdict = reconcileOutcome(tied, { normalizationMetadata: complete });
  expect(verdict.status).toBe("failed");
  expect(verdict.findings.every((finding) => finding.evidence_ids.length <= 32)).toBe(true);
});

test("unknown is never a number", () => {
  const health = buildTraceHealth([span(0, undefined)]);
  expect(health.write_failures).toEqual({ value: null, state: "unknown" });
  expect(health.dropped_events).toEqual({ value: null, state: "unknown" });
  expect(health.source_rows).toBeNull();
  const node = buildCausalWaterfall([span(0, undefined)]).groups[0]?.nodes[0];
  expect(node).toMatchObject({ duration_ms: null, timing: "unknown", start_offset_ms: null });
});

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(
    "I have sent the e-mail. Success!",
    "送信しました",
    "تم الإرسال بنجاح",
    "❌ failed",
  ),
);

test("text never enters: no rule reads it, in any language", () => {
  const names = ["message", "content", "prompt", "completion", "description", "reason", "comment"];
  fc.assert(
    fc.property(shapes, fc.array(texts, { minLength: 7, maxLength: 7 }), (shape, filling) => {
      const plain = buildWindow(shape).map(({ event }) => event);
      const reported = plain.map((event) => {
        const text = Object.fromEntries(names.map((name, i) => [name, filling[i]]));
        const attributes = { ...(event["attributes"] as Json), ...text };
        return { ...event, ...text, attributes };
      });
      const options = { normalizationMetadata: complete };
      expect(reconcileOutcome(reported, options)).toEqual(reconcileOutcome(plain, options));
      expect(buildCausalWaterfall(reported)).toEqual(buildCausalWaterfall(plain));
      expect(buildTraceHealth(reported, options)).toEqual(buildTraceHealth(plain, options));
      expect(compareTraceWindows(plain, reported)).toEqual(compareTraceWindows(plain, plain));
      const scope = { scope: "turn" } as const;
      expect(findInsights(reported, scope)).toEqual(findInsights(plain, scope));
      expect(buildLineage(reported, { ref: "doc-7" })).toEqual(
        buildLineage(plain, { ref: "doc-7" }),
      );
    }),
    { numRuns: Math.min(numRuns, 50) },
  );
});

test("a label that is text is judged and never repeated", () => {
  const stated = "Dear customer, your card was charged";
  const shape = { turns: 1, tasks: 1, types: 1, contracts: 1, superseded: false, noise: 0 };
  const flags = { profile: "none", labelled: true, namesContract: true, anonymous: false } as const;
  const events = buildWindow({ ...shape, ...flags }).map(({ event }) => event);
  const attributes = { contract_name: stated, parser_status: "failed", delivery_target: stated };
  const odd = events.map((event) =>
    ["contract", "delivery"].includes(String(event["event_kind"]))
      ? { ...event, attributes: { ...(event["attributes"] as Json), ...attributes } }
      : event,
  );
  const verdict = reconcileOutcome(odd, { normalizationMetadata: complete });
  expect(verdict.status).not.toBe("success");
  expect(JSON.stringify(verdict)).not.toContain("customer");
});

const odd = [null, undefined, {}, [], "x", "", 0, Number.NaN, true, [null], [{}], { a: 1 }, ["a"]];

test("an odd value in any place inside of any event is no exception", () => {
  for (let seed = 0; seed < numRuns * 2; seed += 1) {
    const random = randomOf(seed);
    const events = structuredClone(honestWindow(seed % 100).events);
    let place: Json = random.pick(events);
    for (;;) {
      const name = random.pick(Object.keys(place));
      const value = name === undefined ? null : place[name];
      if (typeof value !== "object" || value === null || random.chance(0.3)) {
        place[String(name)] = random.pick(odd);
        break;
      }
      place = value as Json;
    }
    judgeAll(events);
  }
});

test.each([{}, { resource: null }, { resource: "x" }, { resource: {} }])(
  "a candidate that names no resource makes a window untrusted: %j",
  (entry) => {
    const selection_ledger = [{ selected: true, ...entry }];
    const selection = at(5, "memory_selection", {}, { selection_ledger });
    judgeAll([selection]);
    const verdict = reconcileOutcome([selection], { normalizationMetadata: complete });
    expect(verdict.window).toMatchObject({ complete: false, read_completeness: "untrusted" });
  },
);

test.each<[string, object]>([
  ["an item that is null", { items: [null] }],
  ["an item that is a word", { items: ["x"] }],
  ["an item without a kind", { items: [{ event_id: "e" }] }],
  ["no list of items", { items: null }],
  ["no list of errors", { errors: null }],
  ["an error that is none", { errors: [null], normalization_errors: 1 }],
  ["a count that is none", { normalization_errors: "none" }],
  ["nothing", { items: undefined, errors: undefined, normalization_errors: undefined }],
])("a page with %s joins, and is no whole window", (_caption, changes) => {
  const [first, ...others] = readsOf(success(), 2);
  const broken = { ...first, page: { ...first?.page, ...changes } };
  const joined = joinPages([broken as never, ...others]);
  expect(joined.normalization_metadata.window_complete).toBe(false);
  judgeAll(joined.events);
  const verdict = reconcileOutcome(success(), {
    normalizationMetadata: joined.normalization_metadata,
  });
  expect(verdict.status).toBe("partial");
  expect(joinPages(readsOf(success(), 2)).normalization_metadata.window_complete).toBe(true);
});
