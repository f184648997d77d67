/** @module Order of states: time, then a producer's sequence, and causes across producers. */
import { limits } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { areBridged, isCausedByAny } from "./reconcile-bridge.ts";
import { isEffectOf, laterCauses, namesCause } from "./reconcile-causes.ts";
import { compareOrder, statesOf, statesWithin, unestablished } from "./reconcile-order.ts";
import { spanKey } from "../event/span-key.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

const time = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

/** A delivery at that many milliseconds, of the producer that its id begins with. */
function event(event_id: string, ms: number, extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id,
    event_kind: "delivery",
    phase: "event",
    status: "success",
    timestamp: time(ms),
    producer_id: event_id.charAt(0),
    attributes: {},
    ...extra,
  };
}

function turnOf(...events: TurnEvent[]): TurnEvidence {
  const bySpan = new Map<string, TurnEvent[]>();
  for (const one of events) {
    const span = spanKey(one);
    if (span !== undefined) bySpan.set(span, [...(bySpan.get(span) ?? []), one]);
  }
  return {
    identity: {},
    events,
    bySpan,
    causes: undefined,
    ends: undefined,
    endOfSpan: new Map(),
    startOfSpan: new Map(),
  };
}

const ids = (events: readonly TurnEvent[]): string[] => events.map(({ event_id }) => event_id);
const states = (...events: TurnEvent[]): readonly [string[], string[]] => {
  const { latest, older } = statesOf(events);
  return [ids(latest), ids(older)];
};

describe("which came first", () => {
  const pair = (a: Partial<TurnEvent>, b: Partial<TurnEvent>, ms = 0): number =>
    Math.sign(compareOrder(event("a", 0, a), event("a", ms, b)));
  test("time decides, whatever the numbers", () => {
    expect(pair({ producer_seq: 9 }, { producer_seq: 1 }, 1)).toBe(-1);
  });
  test("numbers of one producer decide one instant, and of nobody else", () => {
    expect(pair({ producer_seq: 1 }, { producer_seq: 2 })).toBe(-1);
    expect(pair({ producer_seq: 2 }, { producer_seq: 1 })).toBe(1);
    expect(pair({ producer_seq: 1 }, { producer_seq: 2, producer_id: "b" })).toBe(0);
    expect(pair({ producer_seq: 1 }, {})).toBe(0);
    expect(pair({}, { producer_seq: 1 })).toBe(0);
    const unknown = { producer_id: undefined } as unknown as Partial<TurnEvent>;
    expect(pair({ ...unknown, producer_seq: 1 }, { ...unknown, producer_seq: 2 })).toBe(0);
  });
});

describe("the latest", () => {
  test("is the newest; of one instant the last number of each producer", () => {
    expect(states()).toEqual([[], []]);
    expect(states(event("a1", 0))).toEqual([["a1"], []]);
    expect(states(event("a1", 0), event("a2", 2), event("b1", 1))).toEqual([["a2"], ["a1", "b1"]]);
    const tied = [
      event("a1", 0, { producer_seq: 1 }),
      event("a3", 0, { producer_seq: 3 }),
      event("a2", 0, { producer_seq: 2 }),
      event("b1", 0, { producer_seq: 1 }),
      event("a", 0),
    ];
    expect(states(...tied)).toEqual([
      ["a3", "b1", "a"],
      ["a1", "a2"],
    ]);
  });

  const within = (...events: TurnEvent[]): readonly [string[], string[]] => {
    const { latest, older } = statesWithin(turnOf(...events), events);
    return [ids(latest), ids(older)];
  };
  test("gives way to its effect by another producer, whose clock is behind", () => {
    const effect = event("b1", 0, { caused_by_event_id: "a1" });
    expect(within(event("a1", 9), effect)).toEqual([["b1"], ["a1"]]);
    expect(within(event("a1", 9), event("b1", 0))).toEqual([["a1"], ["b1"]]);
    expect(within(event("a1", 9), event("b1", 0, { caused_by_event_id: "a0" }))).toEqual([
      ["a1"],
      ["b1"],
    ]);
    // Within one producer its own order decides.
    expect(within(event("a1", 9), { ...effect, producer_id: "a" })).toEqual([["a1"], ["b1"]]);
  });
  test("keeps what nothing followed among those of one instant", () => {
    const effect = event("b1", 0, { caused_by_event_id: "a1" });
    expect(within(event("a1", 9), event("c1", 9), effect)).toEqual([["c1"], ["b1", "a1"]]);
  });
  test("is the last of several effects", () => {
    const first = event("b1", 0, { caused_by_event_id: "a1" });
    const last = event("b2", 1, { caused_by_event_id: "a1" });
    expect(within(event("a1", 9), first, event("c1", 3), last)).toEqual([
      ["b2"],
      ["a1", "b1", "c1"],
    ]);
  });
  test("is not looked for among the causes of more than can be named", () => {
    const tied = (count: number): TurnEvent[] =>
      Array.from({ length: count }, (_, at) => event(`a${at}`, 9));
    const effect = event("b1", 0, { caused_by_event_id: "a0" });
    const max = limits.findingEvidenceMax;
    expect(within(...tied(max), effect)[0]).not.toContain("a0");
    expect(within(...tied(max + 1), effect)[0]).toContain("a0");
  });
});

describe("not established", () => {
  const good = (one: TurnEvent): boolean => one.status === "success";
  const received = (id: string, ms: number, at: number, extra: Partial<TurnEvent> = {}) =>
    event(id, ms, { received_at: time(at), ...extra });
  const found = (...events: TurnEvent[]): string[] =>
    ids(unestablished(turnOf(...events), statesOf(events), good)).toSorted();
  const bad = { status: "error" } as const;
  test("is what another producer says against it, earlier by time and later by receipt", () => {
    expect(found(received("a1", 9, 10), received("b1", 0, 11, bad))).toEqual(["a1", "b1"]);
    expect(found(received("a1", 9, 10, bad), received("b1", 0, 11))).toEqual(["a1", "b1"]);
  });
  test.each<[string, TurnEvent, TurnEvent]>([
    ["the same word", received("a1", 9, 10), received("b1", 0, 11)],
    ["one that was received before", received("a1", 9, 10), received("b1", 0, 9, bad)],
    ["one of the same receipt", received("a1", 9, 10), received("b1", 0, 10, bad)],
    ["one of the same producer", received("a1", 9, 10), received("a2", 0, 11, bad)],
    ["one whose receipt nobody knows", received("a1", 9, 10), event("b1", 0, bad)],
    ["one against a receipt nobody knows", event("a1", 9), received("b1", 0, 11, bad)],
    ["its cause", received("a1", 9, 10, { caused_by_event_id: "b1" }), received("b1", 0, 11, bad)],
  ])("%s does not unsettle it", (_caption, last, other) => {
    expect(found(last, other)).toEqual([]);
  });
});

describe("causes", () => {
  const span = { span_id: "5".repeat(16) };
  test("are parents, links and named events, near or far", () => {
    const cause = event("a1", 0, span);
    const named: Partial<TurnEvent>[] = [
      { caused_by_event_id: "a1" },
      { parent_span_id: span.span_id },
      { links: [{ trace_id: "t", ...span }] },
    ];
    for (const name of named) {
      const effect = event("b1", 0, name);
      expect(namesCause(effect)).toBe(true);
      const far = event("c1", 0, { caused_by_event_id: "b1" });
      const turn = turnOf(cause, effect, far);
      expect(isEffectOf(turn, effect, cause)).toBe(true);
      expect(isEffectOf(turn, far, cause)).toBe(true);
      expect(isEffectOf(turn, cause, effect)).toBe(false);
    }
    for (const silent of [event("b1", 0), event("b1", 0, { links: [] })]) {
      expect(namesCause(silent)).toBe(false);
      expect(isEffectOf(turnOf(cause, silent), silent, cause)).toBe(false);
    }
  });
  test("a result says when its span ended, so that it causes nothing", () => {
    const ended = event("a1", 0, { ...span, phase: "result" });
    const effect = event("b1", 0, { parent_span_id: span.span_id });
    expect(isEffectOf(turnOf(ended, effect), effect, ended)).toBe(false);
  });
  test("a circle ends, and nothing is its own cause", () => {
    const one = event("a1", 0, { caused_by_event_id: "b1" });
    const two = event("b1", 0, { caused_by_event_id: "a1" });
    const turn = turnOf(one, two);
    expect([isEffectOf(turn, one, two), isEffectOf(turn, one, one)]).toEqual([true, false]);
  });
  test("that begin more than 500 ms after their effect are told", () => {
    const later = (cause: Partial<TurnEvent>, effect: Partial<TurnEvent>, ms: number): string[] => {
      const events = [event("a1", ms, { ...span, ...cause }), event("b1", 0, effect)] as const;
      return ids(laterCauses(turnOf(...events), events[1]));
    };
    const byId = { caused_by_event_id: "a1" };
    const byParent = { parent_span_id: span.span_id };
    for (const by of [byId, byParent]) {
      expect(later({}, by, 501)).toEqual(["a1"]);
      expect(later({}, by, 500)).toEqual([]);
      expect(later({ phase: "result" }, by, 9000)).toEqual([]);
      expect(later({ phase: "result", started_at: time(501) }, by, 9000)).toEqual(["a1"]);
      expect(later({}, { ...by, started_at: time(-1) }, 500)).toEqual(["a1"]);
    }
    expect(later({}, {}, 9000)).toEqual([]);
    expect(later({}, { caused_by_event_id: "b1" }, 9000)).toEqual([]);
  });
});

describe("the bridge between two clocks", () => {
  const made = { resource_type: "reply", ref: "r", version: "1" };
  const artifact = (ms: number, extra: Partial<TurnEvent> = {}): TurnEvent =>
    event("a1", ms, { event_kind: "artifact", output_refs: [made], ...extra });
  const carries = (...input_refs: (typeof made)[]): TurnEvent => event("b1", 0, { input_refs });
  const bridged = (delivery: TurnEvent, evidence: TurnEvent): boolean =>
    areBridged(turnOf(delivery, evidence), [delivery], [evidence]);

  test("takes a delivery that names the version within 500 ms", () => {
    expect(bridged(carries(made), artifact(500))).toBe(true);
    expect(bridged(carries(made), artifact(501))).toBe(false);
    expect(bridged(carries({ ...made, ref: "x" }, made), artifact(500))).toBe(true);
    for (const other of [{ resource_type: "x" }, { ref: "x" }, { version: "2" }]) {
      expect(bridged(carries({ ...made, ...other }), artifact(500))).toBe(false);
    }
    expect(bridged(event("b1", 0), artifact(500))).toBe(false);
    expect(bridged(carries(made), artifact(500, { event_kind: "contract" }))).toBe(false);
    expect(bridged(carries(made), artifact(500, { output_refs: [] }))).toBe(false);
    expect(bridged(carries(made), artifact(500, { producer_id: "b" }))).toBe(false);
  });
  test("takes an effect, and what is in order without it", () => {
    expect(bridged(event("b1", 0, { caused_by_event_id: "a1" }), artifact(9000))).toBe(true);
    // An effect of the delivery came after it, whatever version it names.
    expect(bridged(carries(made), artifact(500, { caused_by_event_id: "b1" }))).toBe(false);
    expect(bridged(event("b1", 0), artifact(0))).toBe(true);
    expect(bridged(event("b1", 0), artifact(1))).toBe(false);
  });
  test("needs every pair, and at least one", () => {
    const good = carries(made);
    const bad = event("c1", 0);
    const turn = turnOf(good, bad);
    expect(areBridged(turn, [good, bad], [artifact(500)])).toBe(false);
    expect(areBridged(turn, [good], [artifact(500), artifact(900)])).toBe(false);
    expect(areBridged(turn, [], [artifact(0)])).toBe(false);
    expect(areBridged(turn, [good], [])).toBe(false);
    const many = (count: number): TurnEvent[] => Array.from({ length: count }, () => artifact(0));
    expect(areBridged(turn, [good], many(64))).toBe(true);
    expect(areBridged(turn, [good], many(65))).toBe(false);
  });
  test("knows evidence that a delivery caused", () => {
    const delivery = event("b1", 0);
    const effect = artifact(0, { caused_by_event_id: "b1" });
    const other = artifact(0, { event_id: "a2" });
    const turn = turnOf(delivery, effect, other);
    const beside = event("b2", 0);
    expect(isCausedByAny(turn, [other, effect], [beside, delivery])).toBe(true);
    expect(isCausedByAny(turn, [other], [delivery])).toBe(false);
    expect(isCausedByAny(turn, [{ ...effect, producer_id: "b" }], [delivery])).toBe(false);
    const many = (count: number): TurnEvent[] => Array.from({ length: count }, () => effect);
    expect(isCausedByAny(turn, many(64), [delivery])).toBe(true);
    expect(isCausedByAny(turn, many(65), [delivery])).toBe(false);
  });
});
