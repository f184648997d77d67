/**
 * @module W3C Trace Context and Baggage at our two readers: a carrier, which is strict, and the
 * propagator, which restarts the trace where the standard requires it and never takes half a turn.
 */
import {
  context as contexts,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import {
  propagateTurn,
  readCarrier,
  receivedTurn,
  TraceContext,
  TurnPropagator,
} from "@turnproof/instrumentation";
import { CodedError, limits } from "@turnproof/semconv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const traceId = "12345678901234567890123456789012";
const spanId = "1234567890123456";
const whole = `00-${traceId}-${spanId}-01`;
const baggage = "turnproof.agent_id=a,turnproof.thread_id=t,turnproof.run_id=r,turnproof.turn_id=u";
const propagator = new CompositePropagator({
  propagators: [new W3CTraceContextPropagator(), new TurnPropagator(new W3CBaggagePropagator())],
});

/** W3C Trace Context 3.2: whether the trace goes on, and whether a carrier may hold it. */
const parents: readonly (readonly [
  name: string,
  value: string,
  goesOn: boolean,
  carrier: boolean,
])[] = [
  ["a valid one", whole, true, true],
  ["not sampled", `00-${traceId}-${spanId}-00`, true, true],
  ["unknown flags", `00-${traceId}-${spanId}-ff`, true, true],
  ["version ff", `ff-${traceId}-${spanId}-01`, false, false],
  ["a future version", `cc-${traceId}-${spanId}-01`, true, false],
  [
    "a future version with more",
    `cc-${traceId}-${spanId}-01-what-the-future-will-be-like`,
    true,
    false,
  ],
  ["version 00 with more", `${whole}-what-the-future-will-not-be-like`, false, false],
  ["version 00 with a dash", `${whole}-`, false, false],
  ["version of one digit", `0-${traceId}-${spanId}-01`, false, false],
  ["version of three digits", `000-${traceId}-${spanId}-01`, false, false],
  ["illegal version", `.0-${traceId}-${spanId}-01`, false, false],
  ["illegal version, second digit", `0.-${traceId}-${spanId}-01`, false, false],
  ["trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`, false, false],
  ["trace id with a dot", `00-.${traceId.slice(1)}-${spanId}-01`, false, false],
  ["trace id with a dot at its end", `00-${traceId.slice(1)}.-${spanId}-01`, false, false],
  ["trace id too long", `00-${traceId}3-${spanId}-01`, false, false],
  ["trace id too short", `00-${traceId.slice(1)}-${spanId}-01`, false, false],
  ["trace id upper-case", `00-${"ABCDEF".padEnd(32, "1")}-${spanId}-01`, false, false],
  ["parent id of zeros", `00-${traceId}-${"0".repeat(16)}-01`, false, false],
  ["parent id with a dot", `00-${traceId}-.${spanId.slice(1)}-01`, false, false],
  ["parent id too long", `00-${traceId}-${spanId}7-01`, false, false],
  ["parent id too short", `00-${traceId}-${spanId.slice(1)}-01`, false, false],
  ["flags illegal", `00-${traceId}-${spanId}-.0`, false, false],
  ["flags illegal, second digit", `00-${traceId}-${spanId}-0.`, false, false],
  ["flags too long", `00-${traceId}-${spanId}-001`, false, false],
  ["flags too short", `00-${traceId}-${spanId}-1`, false, false],
  ["empty", "", false, false],
  ["no flags", `00-${traceId}-${spanId}`, false, false],
  ["no parent", `00-${traceId}`, false, false],
  ["twice in one value", `${whole},${whole}`, false, false],
  ["underscores", whole.replaceAll("-", "_"), false, false],
];

function codeOf(fn: () => unknown): string {
  try {
    fn();
    return "accepted";
  } catch (error) {
    return CodedError.is(error) ? error.code : String(error);
  }
}

describe("traceparent", () => {
  test.each(parents)("%s", (_, traceparent, goesOn, carrier) => {
    const context = propagator.extract(
      ROOT_CONTEXT,
      { traceparent, baggage },
      defaultTextMapGetter,
    );
    expect(trace.getSpanContext(context)?.traceId).toBe(goesOn ? traceId : undefined);
    expect(receivedTurn(context) !== undefined).toBe(goesOn);
    const code = codeOf(() => readCarrier({ traceparent, baggage }));
    expect(code).toBe(carrier ? "accepted" : "carrier_invalid_traceparent");
  });
});

/** W3C Trace Context 3.3; in a carrier only our own members may stand. */
const states: readonly (readonly [name: string, value: string, carrier: boolean])[] = [
  ["ours", "turnproof=1", true],
  ["ours with a tenant", "turnproof@eu=abc", true],
  ["a vendor's", "congo=t61rcWkgMzE", false],
  ["ours beside a vendor's", "turnproof=1,congo=2", false],
  ["empty", "", false],
  ["no equals sign", "turnproof", false],
  ["two equals signs", "turnproof=1=2", false],
  ["a control character", "turnproof=a\u0007b", false],
  ["a comma alone", ",", false],
  ["upper-case key", "Turnproof=1", false],
  ["a value of 257", `turnproof=${"a".repeat(257)}`, false],
  ["not ASCII", "turnproof=ü", false],
];

describe("tracestate of a carrier", () => {
  test.each(states)("%s", (_, tracestate, accepted) => {
    const code = codeOf(() => readCarrier({ traceparent: whole, tracestate, baggage }));
    expect(code).toBe(accepted ? "accepted" : "carrier_unknown_field");
  });
});

/** W3C Baggage 3.3: what a propagator does with members that are odd, foreign or too many. */
const members: readonly (readonly [name: string, value: string, turn: boolean])[] = [
  ["ours alone", baggage, true],
  ["spaces around members", baggage.replaceAll(",", " , "), true],
  ["foreign members before", `tier=gold,${baggage}`, true],
  ["foreign members after, with properties", `${baggage},tier=gold;p=1`, true],
  ["percent-encoded values", baggage.replace("=a", "=%61"), true],
  ["a member missing", baggage.replace("turnproof.run_id=r,", ""), false],
  ["a member empty", baggage.replace("=r", "="), false],
  ["an address for an id", baggage.replace("=a,", "=a%40b.example,"), false],
  ["a scope of everybody", `${baggage},turnproof.scope=everybody`, false],
  ["nothing", "", false],
  ["only commas", ",,,", false],
  ["a member twice, the last one forged", `${baggage},turnproof.agent_id=b`, false],
  ["a member twice, the first one forged", `turnproof.agent_id=b,${baggage}`, false],
  ["a member twice, the same value", `${baggage},turnproof.agent_id=a`, false],
  ["a foreign member twice", `tier=gold,tier=silver,${baggage}`, true],
  ["properties on a member of ours", baggage.replace("=a,", "=a;p=1,"), true],
  ["more than 8 KiB of others", `${"x=".padEnd(9_000, "y")}`, false],
];

describe("baggage of a request", () => {
  test.each(members)("%s", (_, value, turn) => {
    const headers = { traceparent: whole, baggage: value };
    const context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    expect(receivedTurn(context) !== undefined).toBe(turn);
    expect(trace.getSpanContext(context)?.traceId).toBe(traceId);
  });

  test.each([
    ["a list of headers, each with a part of the members", baggage.split(","), true],
    ["a list of headers that contradict each other", [baggage, "turnproof.agent_id=b"], false],
  ])("%s", (_, value, turn) => {
    const headers = { traceparent: whole, baggage: value };
    const context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    expect(receivedTurn(context) !== undefined).toBe(turn);
  });

  test("a carrier holds at most so many bytes, whatever they are", () => {
    const long = `${baggage},turnproof.memory_id=${"m".repeat(limits.carrierBytesMax)}`;
    expect(codeOf(() => readCarrier({ traceparent: whole, baggage: long }))).toBe(
      "carrier_too_large",
    );
  });
});

describe("baggage that is sent", () => {
  const identity = { agentId: "a", userId: "u_1", threadId: "t", runId: "r", turnId: "u" };
  const turn = new TraceContext(identity, { traceId, spanId, traceFlags: 1 });
  const manager = new AsyncLocalStorageContextManager().enable();
  beforeAll(() => void contexts.setGlobalContextManager(manager));
  afterAll(() => contexts.disable());

  /** What is sent inside and outside of `propagateTurn` when the application has this baggage. */
  function sent(foreign: Readonly<Record<string, string>>): {
    readonly inside: Record<string, string>;
    readonly outside: Record<string, string>;
  } {
    const entries = Object.entries(foreign).map(([name, value]) => [name, { value }] as const);
    const held = propagation.createBaggage(Object.fromEntries(entries));
    const inject = (from: Context): Record<string, string> => {
      const headers: Record<string, string> = {};
      propagator.inject(from, headers, defaultTextMapSetter);
      return headers;
    };
    const from = propagation.setBaggage(turn.toContext(ROOT_CONTEXT), held);
    return {
      outside: inject(from),
      inside: contexts.with(from, () => propagateTurn(() => inject(contexts.active()))),
    };
  }
  const namesOf = (headers: Readonly<Record<string, string>>): readonly string[] =>
    (headers["baggage"] ?? "").split(",").map((member) => member.split("=")[0] ?? "");

  test("a member of ours that an application put there is never sent, nor taken for the turn", () => {
    const { inside, outside } = sent({ "turnproof.user_id": "u_2", tier: "gold" });
    expect(namesOf(outside)).toEqual(["tier"]);
    const received = propagator.extract(ROOT_CONTEXT, inside, defaultTextMapGetter);
    expect(receivedTurn(received)?.identity.userId).toBe("u_1");
    expect(namesOf(inside).filter((name) => name === "turnproof.user_id")).toHaveLength(1);
  });

  test.each([
    ["members", Object.fromEntries(Array.from({ length: 179 }, (_, n) => [`k${n}`, "v"]))],
    ["bytes", Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, "v".repeat(199)]))],
  ])("at the limit of %s no half of a turn is sent, and foreign members stay", (_, foreign) => {
    const { inside, outside } = sent(foreign);
    expect(inside["baggage"]).toBe(outside["baggage"]);
    expect(namesOf(inside)).toHaveLength(Object.keys(foreign).length);
  });
});
