/** @module Tied events: which deliveries follow some evidence, and what receipt contradicts. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { precedingProducers, producerOf, receivedBefore, tiedOf } from "./reconcile-tied.ts";

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

const delivery = (extra: Extra = {}, second = 20): TurnEvent => event("delivery", second, extra);
const record = (extra: Extra = {}, second = 20): TurnEvent => event("artifact", second, extra);
const preceding = (tied: readonly TurnEvent[], evidence: readonly TurnEvent[]) => {
  const producers = precedingProducers(tiedOf(tied), evidence);
  return producers === undefined ? undefined : [...producers];
};

test("a producer that does not number its events is none", () => {
  expect(producerOf(delivery(by("p", 1)))).toBe("p");
  expect(producerOf(delivery({ producer_id: "p" }))).toBeUndefined();
});

test("tied events are grouped by producer, and by receipt the latest first", () => {
  const at = (second: string, id: string): TurnEvent =>
    delivery({ ...by(id, 1, id), received_at: `2026-01-01T00:00:${second}Z` });
  const events = [at("21", "a"), delivery(by("a", 1, "silent")), at("23", "b"), at("22", "c")];
  const tied = tiedOf(events);
  expect(tied.at).toBe("2026-01-01T00:00:20Z");
  expect([...tied.byProducer].map(([producer, own]) => [producer, own.length])).toEqual([
    ["a", 2],
    ["b", 1],
    ["c", 1],
  ]);
  expect(tied.received.map(({ event_id }) => event_id)).toEqual(["b", "c", "a"]);
  expect(tiedOf([])).toMatchObject({ at: undefined, events: [], shown: [], received: [] });
});

describe("what follows some evidence", () => {
  test("is later, or of its instant unless its producer's number is lower", () => {
    expect(preceding([delivery()], [])).toEqual([]);
    expect(preceding([], [record()])).toBeUndefined();
    expect(preceding([delivery({}, 21)], [record()])).toEqual([]);
    expect(preceding([delivery({}, 19)], [record()])).toBeUndefined();
    expect(preceding([delivery()], [record()])).toEqual([]);
    expect(preceding([delivery(by("p", 4))], [record(by("p", 5))])).toBeUndefined();
    expect(preceding([delivery(by("p", 5))], [record(by("p", 5))])).toEqual([]);
    expect(preceding([delivery(by("p", 6))], [record(by("p", 5))])).toEqual([]);
    expect(preceding([delivery(by("q", 4))], [record(by("p", 5))])).toEqual([]);
    expect(preceding([delivery()], [record(by("p", 5))])).toEqual([]);
    expect(preceding([delivery(by("p", 4))], [record({ producer_id: "p" })])).toEqual([]);
  });
  test("names the producers whose deliveries do not, while any delivery does", () => {
    const two = [delivery(by("p", 4, "a")), delivery(by("q", 1, "b"))];
    expect(preceding(two, [record(by("p", 5))])).toEqual(["p"]);
    expect(preceding(two, [record(by("p", 5)), record(by("p", 6))])).toEqual(["p"]);
    expect(preceding(two, [record(by("p", 5)), record(by("q", 2))])).toBeUndefined();
    const same = [...two, delivery(by("p", 4, "c"))];
    expect(preceding(same, [record(by("p", 5))])).toEqual(["p"]);
    expect(preceding(same.toSpliced(1, 1), [record(by("p", 5))])).toBeUndefined();
  });
});

test("evidence that is stamped after the first receipt of what follows it contradicts it", () => {
  const received = (...seconds: string[]) =>
    tiedOf(seconds.map((at) => delivery({ received_at: `2026-01-01T00:00:${at}Z` })));
  const stamped = (timestamp: string): TurnEvent => ({ ...record(), timestamp });
  const evidence = [
    stamped("2026-01-01T00:00:21Z"),
    stamped("2026-01-01T00:00:22Z"),
    stamped("2026-01-01T00:00:23Z"),
  ];
  expect(receivedBefore(evidence, tiedOf([delivery()]))).toEqual([]);
  expect(receivedBefore(evidence, received("22"))).toEqual([evidence[2]]);
  expect(receivedBefore(evidence, received("23", "21"))).toEqual([evidence[1], evidence[2]]);
  // Another spelling of the same instant, and less than a millisecond, do not count as later.
  const near = [stamped("2026-01-01T00:00:22.000Z"), stamped("2026-01-01T00:00:22.0004Z")];
  expect(receivedBefore(near, received("22"))).toEqual([]);
});
