/** @module Span to event: times, identity, status, names and invalid input. */
import { attribute, legacyKinds, refsToAttributes } from "@turnproof/semconv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { spanToEvent } from "./span-to-event.ts";
import type { SpanRecord } from "./span-record.ts";

const context = { receivedAt: "2026-11-21T10:00:00.123456Z" };
const base: SpanRecord = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  kind: 1,
  startTimeUnixNano: "1793491200000000001",
  endTimeUnixNano: "1793491200250000001",
  statusCode: 0,
  attributes: {},
  resource: {},
};

const own = (attributes: SpanRecord["attributes"], rest: Partial<SpanRecord> = {}): SpanRecord => ({
  ...base,
  ...rest,
  attributes,
});

test("times keep nine digits and a result carries its start and duration", () => {
  const event = spanToEvent(base, context);
  expect(event).toMatchObject({
    timestamp: "2026-11-01T00:00:00.250000001Z",
    started_at: "2026-11-01T00:00:00.000000001Z",
    duration_ms: 250,
    phase: "result",
    event_id: "b7ad6b7169203331:result",
    event_kind: "span",
    operation: "internal",
    status: "unknown",
  });
});

test.each([
  ["zero start", { startTimeUnixNano: "0" }, "2026-11-01T00:00:00.250000001Z"],
  ["no count", { startTimeUnixNano: "x", endTimeUnixNano: "-5" }, "2026-11-21T10:00:00.123456000Z"],
  ["after 2262", { endTimeUnixNano: "9223372036854775808" }, "2262-04-11T23:47:16.854775807Z"],
  ["20 digits", { endTimeUnixNano: "99999999999999999999" }, "2262-04-11T23:47:16.854775807Z"],
  ["inverted", { endTimeUnixNano: "1793491199999999999" }, "2026-10-31T23:59:59.999999999Z"],
])("a hostile time is clamped and counted: %s", (_, times, timestamp) => {
  const event = spanToEvent({ ...base, ...times }, context);
  expect(event.timestamp).toBe(timestamp);
  expect(event.dropped?.["time_clamped"]).toBeGreaterThan(0);
});

test("a span that has not ended is a start", () => {
  const { endTimeUnixNano: _, ...open } = base;
  const event = spanToEvent(open, context);
  expect(event).toMatchObject({ phase: "start", status: "started" });
  expect(event.timestamp).toBe(event.started_at);
  expect(event.duration_ms).toBeUndefined();
});

test("a start marker stands for the span it marks", () => {
  const marker = own({
    [attribute.event_kind.span]: "turn",
    [attribute.phase.span]: "start",
    [attribute.event_id.span]: "00f067aa0ba902b7:start",
  });
  expect(spanToEvent(marker, context)).toMatchObject({
    event_id: "00f067aa0ba902b7:start",
    span_id: "00f067aa0ba902b7",
    event_kind: "turn",
    phase: "start",
    status: "started",
  });
});

describe("identity is stored as said", () => {
  test("own names win over the libraries', and the tenant has three states", () => {
    const stated = own({
      [attribute.event_kind.span]: "turn",
      [attribute.user_id.span]: "u-1",
      "user.id": "u-2",
      [attribute.thread_id.span]: "t-1",
      "session.id": "t-2",
    });
    expect(spanToEvent(stated, context)).toMatchObject({ user_id: "u-1", thread_id: "t-1" });
    const anonymous = own({ [attribute.scope.span]: "anonymous" });
    expect(spanToEvent(anonymous, context).user_id).toBeNull();
    expect(spanToEvent(base, context)).not.toHaveProperty("user_id");
    const both = own({ [attribute.scope.span]: "anonymous", [attribute.user_id.span]: "u-1" });
    expect(spanToEvent(both, context).user_id).toBe("u-1");
  });

  test("one that is not opaque is keyed and counted, or refused and counted without a key", () => {
    const stated = own({ [attribute.user_id.span]: "ann@example.org" });
    const keyed = spanToEvent(stated, { ...context, keyIdentity: () => "k1_abcdefgh" });
    expect(keyed.user_id).toBe("k1_abcdefgh");
    expect(keyed.dropped).toEqual({ identity_not_opaque: 1 });
    const refused = spanToEvent(stated, context);
    expect(refused).not.toHaveProperty("user_id");
    expect(refused.dropped).toEqual({ identity_not_opaque: 1 });
  });

  test("the agent's name serves where there is no id of it, spaces included", () => {
    const stated = own({
      [attribute.genai_operation.span]: "invoke_agent",
      [attribute.agent_name.span]: "Support Desk",
    });
    expect(spanToEvent(stated, context)).toMatchObject({
      agent_id: "Support Desk",
      operation: "invoke_agent Support Desk",
    });
  });

  test("a job that goes on with a turn keeps the turn's application, not its own service", () => {
    const name = attribute.application_id.span;
    const span = own({ [name]: "desk" }, { resource: { [name]: "worker" } });
    expect(spanToEvent(span, context).application_id).toBe("desk");
    expect(spanToEvent({ ...span, attributes: {} }, context).application_id).toBe("worker");
  });

  test("what the receiver knows is added", () => {
    const event = spanToEvent(base, {
      ...context,
      ingestPrincipal: "desk",
      ingestTrusted: false,
    });
    expect(event).toMatchObject({
      received_at: context.receivedAt,
      ingest_principal: "desk",
      ingest_trusted: false,
    });
  });
});

test("references and a ledger come out of their parallel lists", () => {
  const refs = [{ resource_type: "doc", ref: "d1", version: "3", ownership_verified: false }];
  const event = spanToEvent(
    own(
      {
        [attribute.event_kind.span]: "memory_selection",
        ...refsToAttributes("input", refs),
        [attribute.ledger_types.span]: ["doc"],
        [attribute.ledger_refs.span]: ["d1"],
        [attribute.ledger_ranks.span]: [1],
        [attribute.ledger_selected.span]: [true],
      },
      { name: "turnproof.memory.select" },
    ),
    context,
  );
  expect(event.input_refs).toEqual(refs);
  expect(event.selection_ledger).toEqual([
    { resource: { resource_type: "doc", ref: "d1" }, candidate_rank: 1, selected: true },
  ]);
  expect(event.operation).toBe("memory.select");
});

test("a delivery that says nothing of its acknowledgement says unknown", () => {
  const stated = own({ [attribute.event_kind.span]: "delivery", [attribute.emitted.span]: true });
  expect(spanToEvent(stated, context).attributes).toEqual({ emitted: true, acknowledged: null });
});

describe("the name of a span", () => {
  const action = { [attribute.event_kind.span]: "application_action" };

  test("is read when it is a host operation of ours and refused when it is content", () => {
    expect(spanToEvent(own(action, { name: "render_card" }), context).operation).toBe(
      "render_card",
    );
    const content = spanToEvent(own(action, { name: "Dear Ann, your card" }), context);
    expect(content.operation).toBe("application_action");
    expect(content.dropped).toEqual({ operation_name_invalid: 1 });
  });

  test("is never read on a foreign span", () => {
    const event = spanToEvent({ ...base, name: "render_card" }, context);
    expect(event.operation).toBe("internal");
  });

  test.each([
    [3, "http.request.method", "http.client"],
    [2, "http.request.method", "http.server"],
    [3, "db.system.name", "db.client"],
    [4, "messaging.system", "messaging"],
    [5, "unknown.name", "messaging"],
    [3, "unknown.name", "internal"],
  ])("structure of kind %i with %s is %s", (kind, name, operation) => {
    const event = spanToEvent({ ...own({ [name]: "x" }), kind }, context);
    expect(event.operation).toBe(operation);
  });
});

describe("status and tool outcome", () => {
  const tool = { [attribute.genai_operation.span]: "execute_tool" };
  test.each([
    [{}, 0, "success", "success"],
    [{}, 2, "error", "error"],
    [{ [attribute.error_type.span]: "503" }, 2, "error", "provider_error"],
    [{ [attribute.error_type.span]: "RateLimitError" }, 2, "error", "provider_error"],
    [{ [attribute.error_type.span]: "TypeError" }, 2, "error", "error"],
    [{ [attribute.result_count.span]: 0 }, 0, "success", "empty"],
    [{ [attribute.fallback_used.span]: true }, 0, "success", "fallback"],
    [{ [attribute.degraded.span]: true }, 0, "success", "degraded"],
    [{ [attribute.status.span]: "partial" }, 0, "partial", "degraded"],
    [{ [attribute.status.span]: "unknown" }, 0, "unknown", undefined],
  ])("%o with code %i is %s, %s", (attributes, statusCode, status, outcome) => {
    const event = spanToEvent(own({ ...tool, ...attributes }, { statusCode }), context);
    expect(event.status).toBe(status);
    expect(event.attributes.tool_outcome).toBe(outcome);
  });

  test("a host span left without a word is unknown", () => {
    const action = own({ [attribute.event_kind.span]: "application_action" });
    expect(spanToEvent(action, context).status).toBe("unknown");
    expect(spanToEvent({ ...action, statusCode: 1 }, context).status).toBe("success");
  });
});

test("kinds of older writers are understood", () => {
  for (const [name, legacy] of Object.entries(legacyKinds)) {
    const event = spanToEvent(own({ [attribute.event_kind.span]: name }), context);
    expect(event.event_kind).toBe(legacy.kind);
  }
});

test("an attribute that the kind does not carry is counted and left out", () => {
  const stated = own({ [attribute.event_kind.span]: "intent", [attribute.tool_name.span]: "x" });
  const event = spanToEvent(stated, context);
  expect(event.attributes).toEqual({});
  expect(event.dropped).toEqual({ attribute_kind: 1 });
});

const anyValue = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.array(fc.oneof(fc.string(), fc.double())),
  fc.constantFrom("anonymous", "turn", "ERROR", '["stop"]', "{", "sk-CANARYCANARYCANARYCANARY"),
);
const anyRecord = fc.record({
  attributes: fc.dictionary(
    fc.constantFrom(
      ...Object.values(attribute).map((row) => row.span),
      "mastra.span.type",
      "openinference.span.kind",
      "langfuse.observation.type",
      "langfuse.observation.usage_details",
      "http.response.status_code",
      "nobody.knows",
    ),
    anyValue,
  ),
  startTimeUnixNano: fc.oneof(fc.string(), fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String)),
  endTimeUnixNano: fc.oneof(fc.string(), fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String)),
  kind: fc.integer(),
  statusCode: fc.integer(),
  name: fc.string(),
});

test("whatever comes, mapping never throws, and the same span gives the same bytes", () => {
  fc.assert(
    fc.property(anyRecord, (fields) => {
      const span = { ...base, ...fields } as unknown as SpanRecord;
      const frozen = Object.freeze({ ...span, attributes: Object.freeze({ ...span.attributes }) });
      const first = JSON.stringify(spanToEvent(frozen, context));
      spanToEvent(base, context);
      expect(JSON.stringify(spanToEvent(frozen, context))).toBe(first);
      expect(first).not.toContain("CANARY");
      expect(JSON.parse(first).timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    }),
    { numRuns: Number(process.env["MAPPING_RUNS"] ?? 300) },
  );
});
