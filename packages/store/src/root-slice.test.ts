/**
 * Events of a root are ordered by time and id; the hash that breaks ties is made for ties alone.
 */
import { expect, test } from "vitest";

import { rootSlice } from "./root-slice.ts";
import { issueOperatorGrant } from "./scope.ts";
import type { Settled } from "./settle.ts";
import type { StoredEvent } from "./stored-event.ts";

const scope = { operator: issueOperatorGrant() };

function settled(seconds: number, id: string, key: () => string): Settled {
  const event: StoredEvent = {
    schema_version: 3,
    event_id: id,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: `2026-03-01T10:00:0${seconds}Z`,
    received_at: "2026-03-01T10:01:00.000000Z",
    root_trace_id: "root",
    attributes: {},
  };
  const position = {
    micros: 1,
    seconds,
    nanos: 0,
    get key() {
      return key();
    },
  };
  return { event, position, copies: 1 };
}

const unread = (): string => {
  throw new Error("the key of an event without a tie was read");
};

const ids = (events: readonly { readonly event_id: string }[]): readonly string[] =>
  events.map(({ event_id: id }) => id);

test("events with different times or ids are ordered without their keys", () => {
  const events = [settled(2, "c", unread), settled(1, "b", unread), settled(1, "a", unread)];
  const slice = rootSlice(events, scope, { limit: 3 });
  expect(ids(slice.events)).toEqual(["a", "b", "c"]);
  expect(slice.next).toBeNull();
});

test("pages continue after their last event, also between events with one time and id", () => {
  const events = [
    settled(1, "a", () => "2"),
    settled(1, "a", () => "1"),
    settled(2, "b", () => "0"),
  ];
  const first = rootSlice(events, scope, { limit: 1 });
  expect(first.next).toMatchObject({ event: "a", key: "1" });
  const second = rootSlice(events, scope, { limit: 1, after: first.next ?? {} });
  expect(second.next).toMatchObject({ event: "a", key: "2" });
  const third = rootSlice(events, scope, { limit: 1, after: second.next ?? {} });
  expect(ids(third.events)).toEqual(["b"]);
  expect(third.next).toBeNull();
});
