/** @module Carriers: what is written reads back; any other input is refused by a code. */
import { CodedError, limits } from "@turnproof/semconv";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readCarrier, writeCarrier } from "./carrier.ts";
import { TraceContext } from "./trace-context.ts";

const content = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  traceFlags: 1,
  applicationId: "desk",
  agentId: "helper",
  userId: "user_1",
  memoryId: "memory_1",
  threadId: "thread_1",
  runId: "run_1",
  turnId: "turn_1",
  causedBy: "event_1",
};
const carrier = writeCarrier(content);

function codeOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    return CodedError.is(error) ? error.code : String(error);
  }
  return "accepted";
}

const id = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,40}$/);
const hex = (length: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[1-9a-f][0-9a-f]{${length - 1}}$`));

test("a written carrier is read back as the same content", () => {
  const contents = fc.record(
    {
      traceId: hex(32),
      spanId: hex(16),
      traceFlags: fc.constantFrom(0, 1),
      agentId: id,
      threadId: id,
      runId: id,
      turnId: id,
      applicationId: id,
      memoryId: id,
      causedBy: id,
      userId: fc.oneof(id, fc.constant(null)),
    },
    { requiredKeys: ["traceId", "spanId", "traceFlags", "agentId", "threadId", "runId", "turnId"] },
  );
  fc.assert(
    fc.property(contents, (given) => {
      expect(readCarrier(writeCarrier(given))).toEqual(given);
    }),
  );
});

test("a context survives its carrier, and its parent is the span that wrote it", () => {
  const restored = TraceContext.fromCarrier(carrier);
  expect(restored.toCarrier()).toEqual(carrier);
  expect(restored.spanContext).toMatchObject({ spanId: content.spanId, isRemote: true });
});

describe("a carrier that is not ours and whole is refused", () => {
  const baggage = carrier["baggage"] ?? "";
  const cases: readonly (readonly [why: string, carrier: unknown, code: string])[] = [
    ["no map", null, "carrier_not_a_map"],
    ["a list", [carrier], "carrier_not_a_map"],
    ["text", "00-…", "carrier_not_a_map"],
    ["nothing", {}, "carrier_incomplete"],
    ["no traceparent", { baggage }, "carrier_incomplete"],
    ["no baggage", { traceparent: carrier["traceparent"] }, "carrier_incomplete"],
    ["another key", { ...carrier, authorization: "x" }, "carrier_unknown_field"],
    ["a prototype key", JSON.parse(`{"__proto__":"x","traceparent":"x"}`), "carrier_unknown_field"],
    ["a symbol", { ...carrier, [Symbol("x")]: "x" }, "carrier_unknown_field"],
    ["a number", { ...carrier, baggage: 1 }, "carrier_invalid_value"],
    ["a foreign member", { ...carrier, baggage: `${baggage},vendor=1` }, "carrier_unknown_field"],
    ["a property", { ...carrier, baggage: `${baggage};ttl=1` }, "carrier_unknown_field"],
    ["twice", { ...carrier, baggage: `${baggage},turnproof.run_id=x` }, "carrier_duplicate_member"],
    [
      "an empty value",
      { ...carrier, baggage: baggage.replace("run_1", "") },
      "carrier_invalid_value",
    ],
    [
      "bad escapes",
      { ...carrier, baggage: baggage.replace("run_1", "%zz") },
      "carrier_invalid_value",
    ],
    [
      "an e-mail",
      { ...carrier, baggage: baggage.replace("user_1", "a%40b.example") },
      "carrier_invalid_value",
    ],
    ["no separator", { ...carrier, baggage: "turnproof.run_id" }, "carrier_invalid_value"],
    [
      "a missing member",
      { ...carrier, baggage: baggage.replace(/,turnproof.run_id=[^,]*/, "") },
      "carrier_incomplete",
    ],
    [
      "both scopes",
      { ...carrier, baggage: `${baggage},turnproof.scope=anonymous` },
      "carrier_invalid_value",
    ],
    [
      "an unknown scope",
      { ...carrier, baggage: `${baggage},turnproof.scope=all` },
      "carrier_invalid_value",
    ],
    ["a foreign tracestate", { ...carrier, tracestate: "vendor=1" }, "carrier_unknown_field"],
    ["too much", { ...carrier, baggage: "x".repeat(limits.carrierBytesMax) }, "carrier_too_large"],
  ];
  test.each(cases)("%s", (_, given, code) => {
    expect(codeOf(() => TraceContext.fromCarrier(given))).toBe(code);
  });

  const parents: readonly string[] = [
    "",
    "00",
    "00-",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
    "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-.0",
    "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
    " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n",
    "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
  ];
  test.each(parents)("traceparent %j", (traceparent) => {
    expect(codeOf(() => readCarrier({ ...carrier, traceparent }))).toBe(
      "carrier_invalid_traceparent",
    );
  });

  test("a refusal names no value", () => {
    for (const [, given] of cases) {
      try {
        readCarrier(given);
      } catch (error) {
        expect(String(error)).not.toMatch(/user_1|run_1|vendor|b\.example/);
      }
    }
  });
});

test("a worker's expectation of the tenant holds: value, anonymous and unattributed differ", () => {
  const { userId: _, ...nobody } = content;
  const anonymous = writeCarrier({ ...content, userId: null });
  expect(codeOf(() => TraceContext.fromCarrier(carrier, { userId: "user_1" }))).toBe("accepted");
  expect(codeOf(() => TraceContext.fromCarrier(anonymous, { userId: null }))).toBe("accepted");
  const mismatched = [
    [carrier, { userId: "user_2" }],
    [carrier, { userId: null }],
    [anonymous, { userId: "user_1" }],
    [writeCarrier(nobody), { userId: null }],
    [carrier, { userId: "user_1", threadId: "thread_2" }],
    [carrier, { userId: "user_1", agentId: "other" }],
    [carrier, { userId: "user_1", memoryId: "other" }],
  ] as const;
  for (const [given, expected] of mismatched) {
    expect(codeOf(() => TraceContext.fromCarrier(given, expected))).toBe("carrier_scope_mismatch");
  }
});

test("no single changed character of a carrier is read as the same turn", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 33, max: 126 }), (at, code) => {
      const text = carrier["baggage"] ?? "";
      const place = at % text.length;
      const changed = text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
      fc.pre(changed !== text);
      try {
        expect(readCarrier({ ...carrier, baggage: changed })).not.toEqual(content);
      } catch (error) {
        expect(CodedError.is(error)).toBe(true);
      }
    }),
  );
});
