/** The memo of texts: bounded, and always the text that was stored. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { TextMemo } from "./text-memo.ts";

test("a text is what its bytes say, remembered or not", () => {
  const memo = new TextMemo();
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { maxLength: 40 });
  fc.assert(
    fc.property(texts, (list) => {
      for (const text of [...list, ...list]) {
        const bytes = Buffer.from(`__${text}__`);
        const well = Buffer.from(text).toString("utf8");
        expect(memo.read(bytes, 2, bytes.length - 2)).toBe(well);
      }
    }),
  );
});

test("bytes that are no UTF-8 are no text, whatever was remembered", () => {
  const memo = new TextMemo();
  expect(memo.read(Buffer.from("abc"), 0, 3)).toBe("abc");
  for (const bad of [[0xff], [0x61, 0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x80]]) {
    expect(memo.read(Buffer.from(bad), 0, bad.length)).toBeUndefined();
    const long = Buffer.concat([Buffer.alloc(100, 0x61), Buffer.from(bad)]);
    expect(memo.read(long, 0, long.length)).toBeUndefined();
  }
});
