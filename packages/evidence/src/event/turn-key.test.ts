/** @module The identity of a turn: the fold groups by the same fields as the key. */
import fc from "fast-check";
import { expect, test } from "vitest";

import type { TurnEvent } from "./event.ts";
import { turnFields, turnKey } from "./turn-key.ts";
import { foldTurns } from "../turns/turns.ts";

const id = fc.option(fc.constantFrom("a", "b", '","'), { nil: undefined });
const identity = fc
  .record({
    application_id: id,
    agent_id: id,
    thread_id: id,
    root_trace_id: id,
    turn_id: id,
    user_id: fc.constantFrom("a", "b", "", null, undefined),
  })
  .map((stated) => Object.fromEntries(Object.entries(stated).filter(([, v]) => v !== undefined)));

const event = (stated: object, index: number): TurnEvent => ({
  schema_version: 3,
  event_id: `e${index}`,
  event_kind: "model_call",
  phase: "event",
  status: "success",
  timestamp: "2026-11-21T08:00:00Z",
  ...stated,
  attributes: {},
});

test("one row of the fold for every key, whatever the application", () => {
  fc.assert(
    fc.property(fc.array(identity, { minLength: 1, maxLength: 12 }), (stated) => {
      const events = stated.map(event);
      const keys = new Set(events.map(turnKey));
      const rows = foldTurns(events);
      expect(new Set(rows.map(turnKey))).toEqual(keys);
      expect(rows).toHaveLength(keys.size);
    }),
    { numRuns: 300 },
  );
});

test("a verdict keeps an absent id as an empty one; the application is no part of the key", () => {
  const empty = { agent_id: "", thread_id: "", root_trace_id: "", turn_id: "" };
  expect(turnKey(empty)).toBe(turnKey({}));
  expect(turnKey({ ...empty, application_id: "desk" } as object)).toBe(turnKey({}));
  expect(turnKey({ user_id: null })).not.toBe(turnKey({}));
  const changed = turnFields.map((field) => turnKey({ [field]: "x" }));
  expect(new Set([turnKey({}), ...changed]).size).toBe(turnFields.length + 1);
});
