/**
 * @module Tests of the byte writer: written bytes survive the growth of the buffer at any point.
 */
import { expect, test } from "vitest";

import { ByteWriter } from "./byte-writer.ts";

test.each([1, 2] as const)(
  "a message that ends at the buffer's end keeps its bytes: %i",
  (room) => {
    for (let before = 0; before < 40; before++) {
      for (const length of [0, 1, 2, 5, 9, 127, 128, 300]) {
        const writer = new ByteWriter(32);
        for (let at = 0; at < before; at++) writer.byte(7);
        const from = writer.open(room);
        for (let at = 0; at < length; at++) writer.byte(at & 127);
        writer.close(from, room);
        writer.byte(9);
        const head = length < 128 ? [length] : [(length & 127) | 128, length >>> 7];
        expect([...writer.bytes()]).toEqual([
          ...Array.from({ length: before }, () => 7),
          ...head,
          ...Array.from({ length }, (_, at) => at & 127),
          9,
        ]);
      }
    }
  },
);
