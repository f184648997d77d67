/** @module Clocks: producers that are ahead, and times that contradict a producer's sequence. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { groupByIdentity } from "../event/identity-tuple.ts";
import { clockOf, settleClocks, stampOf } from "./reconcile-clock.ts";

type Extra = Partial<TurnEvent>;

/** An event of one turn; its id is its kind and second. */
const event = (kind: TurnEvent["event_kind"], second: number, extra: Extra): TurnEvent => ({
  schema_version: 3,
  event_id: `${kind}-${second}`,
  event_kind: kind,
  phase: "event",
  status: "success",
  timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
  application_id: "app",
  agent_id: "agent",
  user_id: "user",
  thread_id: "thread",
  root_trace_id: "root",
  turn_id: "turn",
  attributes: {},
  ...extra,
});
const by = (producer_id: string, producer_seq: number, event_id?: string): Extra => ({
  producer_id,
  producer_seq,
  ...(event_id === undefined ? {} : { event_id }),
});

const at = (second: number, extra: Extra = {}): TurnEvent => event("delivery", second, extra);
const received = (second: number): Extra => ({
  received_at: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
});
const settle = (...events: TurnEvent[]) => settleClocks(events, groupByIdentity(events), null);
const seconds = (events: readonly TurnEvent[]): number[] =>
  events.map(({ timestamp }) => (Date.parse(timestamp) - Date.parse("2026-01-01")) / 1_000);

test("a clock is its process's, else its service's, else its application's", () => {
  expect(clockOf(at(1, { producer_id: "p", service_name: "s" }))).toBe("p");
  expect(clockOf(at(1, { service_name: "s" }))).toBe("service s");
  expect(clockOf(at(1))).toBe("service app");
  expect(clockOf(at(1, { service_name: "p" }))).not.toBe(clockOf(at(1, { producer_id: "p" })));
  const { application_id: _, ...nameless } = at(1);
  expect(clockOf(nameless as TurnEvent)).toBe("service ");
});

describe("a producer that is ahead", () => {
  test("is moved back by the most that any of its times lies after its receipt", () => {
    const { events, unshifted, ahead } = settle(
      at(10, { ...by("p", 1), ...received(8) }),
      at(20, { ...by("p", 2), ...received(15), started_at: "2026-01-01T00:00:19Z" }),
      at(30, { ...by("p", 3), ...received(29) }),
      at(30, by("q", 1)),
    );
    expect(seconds(events)).toEqual([5, 15, 25, 30]);
    expect(Date.parse(events[1]?.started_at ?? "")).toBe(Date.parse("2026-01-01T00:00:14Z"));
    expect(events[0]).not.toHaveProperty("started_at");
    expect(seconds(unshifted)).toEqual([10, 20, 30, 30]);
    expect([...(ahead ?? [])]).toEqual([0, 1, 2]);
  });
  test("is none where its times lie at or before their receipt, or within a millisecond", () => {
    const close = { ...at(10, received(10)), timestamp: "2026-01-01T00:00:10.0004Z" };
    for (const one of [at(10, received(10)), at(10, received(12)), at(10), close]) {
      const settled = settle(one);
      expect(settled.ahead).toBeUndefined();
      expect(settled.events).toBe(settled.unshifted);
      expect(settled.events[0]).toBe(one);
    }
  });
});

describe("times that run against a producer's numbers", () => {
  const lifted = (...events: TurnEvent[]): number[] => {
    const before = structuredClone(events);
    const settled = settle(...events).events;
    // The input is unchanged, and every original timestamp is kept.
    expect(events).toEqual(before);
    expect(settled.map(stampOf)).toEqual(events.map(({ timestamp }) => timestamp));
    return seconds(settled);
  };
  test("are lifted to the latest of a lower number, in whatever order they are read", () => {
    expect(lifted(at(10, by("p", 1)), at(5, by("p", 2)), at(7, by("p", 3)))).toEqual([10, 10, 10]);
    expect(lifted(at(7, by("p", 3)), at(10, by("p", 1)), at(5, by("p", 2)))).toEqual([10, 10, 10]);
    expect(lifted(at(10, by("p", 1)), at(11, by("p", 3)), at(5, by("p", 2)))).toEqual([10, 11, 10]);
  });
  test("of one number do not order each other", () => {
    expect(lifted(at(10, by("p", 1)), at(5, by("p", 1)))).toEqual([10, 5]);
    expect(lifted(at(8, by("p", 1)), at(10, by("p", 2)), at(5, by("p", 2)))).toEqual([8, 10, 8]);
  });
  test("of two producers, and without numbers, do not order each other", () => {
    expect(lifted(at(10, by("p", 1)), at(5, by("q", 2)))).toEqual([10, 5]);
    expect(lifted(at(10, by("p", 1)), at(5, { producer_id: "p" }))).toEqual([10, 5]);
    expect(lifted(at(10, { producer_seq: 1 }), at(5, { producer_seq: 2 }))).toEqual([10, 5]);
    expect(lifted(at(10, by("p", 1)), at(12, by("q", 1)), at(5, by("p", 2)))).toEqual([10, 12, 10]);
  });
  test("of two turns do not order each other", () => {
    const other = { thread_id: "other" };
    expect(lifted(at(10, by("p", 1)), at(5, { ...by("p", 2), ...other }))).toEqual([10, 5]);
    expect(
      lifted(at(1), at(10, { ...by("p", 1), ...other }), at(5, { ...by("p", 2), ...other })),
    ).toEqual([1, 10, 10]);
  });
  test.each([
    "span",
    "conversation",
    "execution_log",
    "data_quality",
    "memory_operation",
    "memory_retrieval",
    "memory_reference",
    "cache_decision",
    "plan",
    "learning",
  ] as const)("move no %s, which only surrounds what decides", (kind) => {
    const beside = (second: number, seq: number): TurnEvent => event(kind, second, by("p", seq));
    expect(lifted(at(10, by("p", 1)), beside(5, 2))).toEqual([10, 5]);
    expect(lifted(beside(10, 1), at(5, by("p", 2)))).toEqual([10, 5]);
  });
  test("that run with the numbers are the events themselves", () => {
    const events = [at(5, by("p", 1)), at(10, by("p", 2)), at(10, by("p", 3))];
    expect(settleClocks(events, groupByIdentity(events), null).events).toBe(events);
  });
});
