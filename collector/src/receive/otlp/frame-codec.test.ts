/** @module Tests of frames that are written in parts. */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { decodeFrame, encodeFrame, frameWriter } from "./frame-codec.ts";

const event = (id: string): TurnEvent => ({
  schema_version: 3,
  event_id: id,
  event_kind: "span",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00Z",
  operation: 'quoted " and ü 日本',
  attributes: {},
});

test("a frame that is written in parts is one JSON array", () => {
  const events = Array.from({ length: 10 }, (_, index) => event(`e${index}`));
  const writer = frameWriter();
  for (const [from, to] of [
    [0, 0],
    [0, 1],
    [1, 1],
    [1, 7],
    [7, 10],
  ] as const) {
    writer.add(events.slice(from, to));
  }
  expect(writer.events).toBe(10);
  expect(writer.payload().toString("utf8")).toBe(JSON.stringify(events));
  expect(decodeFrame(encodeFrame(events))).toEqual(events);
  expect(decodeFrame(encodeFrame([]))).toEqual([]);
});

test("frames have memory of their own", () => {
  const first = frameWriter();
  const second = frameWriter();
  first.add([event("a")]);
  second.add([event("b")]);
  first.add([event("c")]);
  const whole = first.payload();
  second.add(Array.from({ length: 5_000 }, (_, index) => event(`d${index}`)));
  const third = frameWriter();
  third.add([event("e")]);
  const ids = (payload: Uint8Array): readonly string[] =>
    decodeFrame(payload).map(({ event_id }) => event_id);
  expect(ids(third.payload())).toEqual(["e"]);
  expect(ids(whole)).toEqual(["a", "c"]);
  expect(ids(second.payload())).toHaveLength(5_001);
  expect(first.payload()).toBe(whole);
});
