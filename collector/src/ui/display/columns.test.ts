/** Columns read back as they were written, absent fields absent, and are far shorter. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { fromColumns, readField, toColumns } from "./columns.ts";

const leaf = fc.oneof(
  fc.constantFrom("success", "error", "", null, true, false),
  fc.integer(),
  fc.string(),
  fc.array(fc.string({ maxLength: 3 }), { maxLength: 2 }),
);
const attributes = fc.record({ model: leaf, tokens: fc.nat() }, { requiredKeys: [] });
const record = fc.record(
  { id: fc.string(), kind: leaf, parent: leaf, attributes },
  { requiredKeys: ["id"] },
);

const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test("any records come back as they were, over the wire", () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 40 }), (records) => {
      expect(fromColumns(sent(toColumns(records)))).toStrictEqual(sent(records));
    }),
  );
});

test("null, nothing and undefined are told apart as JSON tells them", () => {
  const records = [{ user: null }, {}, { user: undefined }, { user: "usr" }];
  const back = fromColumns<object>(sent(toColumns(records)));
  expect(back.map((one) => Object.hasOwn(one, "user"))).toEqual([true, false, false, true]);
  expect(back[0]).toEqual({ user: null });
});

test("one field is read alone, and a field that nobody has is nowhere", () => {
  const columns = sent(toColumns([{ id: "a", n: 1 }, { id: "b" }]));
  expect([0, 1].map(readField(columns, "id"))).toEqual(["a", "b"]);
  expect([0, 1].map(readField(columns, "n"))).toEqual([1, undefined]);
  expect([0, 1].map(readField(columns, "constructor"))).toEqual([undefined, undefined]);
});

test("what records share is written once", () => {
  const records = Array.from({ length: 1_000 }, (_, index) => ({
    event_id: `${index}:result`,
    root_trace_id: "a".repeat(32),
    status: index % 97 === 5 ? "error" : "success",
    attributes: { model: "atlas-2", input_tokens: 12 },
  }));
  const columns = toColumns(records);
  const bytes = JSON.stringify(columns).length;
  expect(bytes).toBeLessThan(JSON.stringify(records).length / 6);
  expect(JSON.stringify(columns).split("a".repeat(32))).toHaveLength(2);
  expect(fromColumns(columns)).toEqual(records);
});
