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

const span = fc.record(
  {
    span_id: fc.constantFrom(
      ...Array.from({ length: 80 }, (_, n) => (n * 7_919 + 5e9).toString(16)),
    ),
    phase: fc.constantFrom("start", "result"),
    at: fc.nat({ max: 4e9 }),
    duration_ms: fc.oneof(
      fc.nat(),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.nat().map((ns) => ns / 1e6),
    ),
    odd: fc.boolean(),
  },
  { requiredKeys: ["span_id", "phase", "at", "odd"] },
);

test("fields that follow from others come back, and those that break the rule too", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 120 }), (drawn) => {
      const timeAt = (ns: number): string =>
        `2026-11-26T02:00:${String(Math.floor(ns / 1e9)).padStart(2, "0")}.` +
        `${String(ns % 1e9).padStart(9, "0")}Z`;
      const events = drawn.map(({ span_id: id, phase, at, odd, ...rest }, index) => ({
        event_id: odd && index % 9 === 0 ? `odd ${index}` : `${id}:${phase}`,
        span_id: id,
        phase,
        ...(index % 5 === 0 ? {} : { parent_span_id: index % 7 === 0 ? "gone" : firstOf(drawn) }),
        timestamp: odd && index % 31 === 0 ? "2026-11-26T02:00:01Z" : timeAt(at),
        ...rest,
      }));
      const rows = events.map((event, index) => ({
        event_id: event.event_id,
        event_ids: index % 11 === 0 ? [event.event_id, "another"] : [event.event_id],
        duration_ms: Math.round((event.duration_ms ?? 0) * 1e4) / 1e4,
      }));
      const places = rows.map((_, index) => index);
      const written = sent({
        events: toColumns(events, {
          rules: {
            event_id: { joined: ["span_id", "phase"] },
            started_at: { before: "timestamp", by: "duration_ms" },
          },
          picks: { parent_span_id: "span_id" },
          times: ["timestamp"],
        }),
        rows: toColumns(rows, {
          rules: {
            event_id: { beside: "event_id" },
            event_ids: { list: "event_id" },
            duration_ms: { rounded: "duration_ms" },
          },
          beside: { records: events, places },
        }),
      });
      expect(fromColumns(written.events)).toStrictEqual(sent(events));
      expect(fromColumns(written.rows, written.events)).toStrictEqual(sent(rows));
    }),
  );
});

function firstOf(drawn: readonly { readonly span_id: string }[]): string {
  return drawn[0]?.span_id ?? "";
}

test("a start follows from the end and the duration, to the nanosecond", () => {
  const events = Array.from({ length: 20 }, (_, index) => ({
    timestamp: `2026-11-26T02:00:0${index % 10}.000000${String(100 + index)}Z`,
    started_at: `2026-11-26T01:59:59.999999${String(900 + index)}Z`,
    duration_ms: ((index % 10) * 1e9 + 200) / 1e6,
  }));
  const columns = sent(
    toColumns(events, { rules: { started_at: { before: "timestamp", by: "duration_ms" } } }),
  );
  expect(columns.fields["started_at"]).toEqual({
    rule: { before: "timestamp", by: "duration_ms" },
  });
  expect(fromColumns(columns)).toEqual(events);
});
