/** @module A document of an earlier version loses nothing when it becomes a row. */
import { expect, test } from "vitest";

import { legacyRecord } from "./memory-record.ts";

/** An id as BSON returns it. */
const objectId = { toJSON: () => "64b7f8a2c3d4e5f60718293a" };
const long = { _bsontype: "Long", low: 1, high: 2_097_152, toString: () => "9007199254740993" };

test("levels of any type are levels as text, so that no two of them become one", () => {
  const stated = { _id: long, agent_id: 3, memory_id: objectId, thread_id: objectId };
  expect(legacyRecord("conversation", stated, "")).toMatchObject({
    id: "9007199254740993",
    agent_id: "3",
    memory_id: "64b7f8a2c3d4e5f60718293a",
    thread_id: "64b7f8a2c3d4e5f60718293a",
  });
  expect(legacyRecord("conversation", { _id: 1, agent_id: null }, "")?.agent_id).toBeUndefined();
});

test("what becomes no field of the row stays in its data", () => {
  const parts = [{ type: "text", text: "hello" }];
  const cases: readonly (readonly [object, object, object])[] = [
    [{ content: parts }, { id: "x" }, { content: parts }],
    [{ text: "a", content: "b" }, { text: "a" }, { content: "b" }],
    [{ text: "a", content: "a" }, { text: "a" }, {}],
    [{ data: "no object", tag: 1 }, {}, { data: "no object", tag: 1 }],
    [{ created_at: "yesterday", expires_at: "never" }, {}, { created_at: "yesterday" }],
    [{ created_at: 6, timestamp: 5 }, { created_at: "1970-01-01T00:00:06.000Z" }, { timestamp: 5 }],
    [{ timestamp: 5 }, { created_at: "1970-01-01T00:00:05.000Z" }, {}],
  ];
  for (const [stated, fields, data] of cases) {
    const row = legacyRecord("conversation", { _id: "x", ...stated }, "");
    expect(row).toMatchObject(fields);
    expect(row?.data).toMatchObject(data);
    expect("expires_at" in (row ?? {})).toBe(false);
  }
});

test("a vector that is none costs the vector and never the row", () => {
  const row = legacyRecord("conversation", { _id: "x", content: "a", embedding: [1, NaN] }, "");
  expect([row?.text, row?.embedding]).toEqual(["a", undefined]);
});
