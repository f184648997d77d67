/** @module Tests: lengths in UTF-8, against the platform's own encoder. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { utf8Bytes } from "./utf8.ts";

const encoder = new TextEncoder();

test.each([
  "",
  "plain",
  "Müller",
  "工号123",
  "👩‍💻",
  "\ud800",
  "a\udc00b",
  "\ud83d",
  "\ud83d\ud83d\ude00",
])("the length of %j is what an encoder writes", (text) => {
  expect(utf8Bytes(text)).toBe(encoder.encode(text).length);
});

test("any text, lone surrogates included", () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 64 }), (text) => {
      expect(utf8Bytes(text)).toBe(encoder.encode(text).length);
    }),
  );
});
