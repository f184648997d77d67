/** @module StoredText keeps text one to one, in the order of bytes. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { fromStored, fromStoredJson, toStored, toStoredJson } from "./stored-text.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\u0000", "\u0001", "\u0002", "0", "1", "a", "\u{1f4a9}") }),
);
const bytes = (value: string): Buffer => Buffer.from(value);

test("every text comes back, and none holds what PostgreSQL refuses", () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(toStored(value)).not.toContain("\u0000");
      expect(fromStored(toStored(value))).toBe(value);
    }),
  );
});

test("the order of bytes stays, so two texts are equal only when they are", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const before = Math.sign(Buffer.compare(bytes(a), bytes(b)));
      expect(Math.sign(Buffer.compare(bytes(toStored(a)), bytes(toStored(b))))).toBe(before);
    }),
    { numRuns: 2_000 },
  );
});

test("JSON comes back, names included, and says no U+0000", () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text), fc.integer())), (value) => {
      const written = toStoredJson(value);
      expect(written).not.toMatch(/(?<!\\)(\\\\)*\\u0000/);
      expect(fromStoredJson(written)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("text of a legacy row that was never escaped is left alone", () => {
  expect(fromStored("a\u0001")).toBe("a\u0001");
  expect(fromStored("a\u0001b")).toBe("a\u0001b");
});
