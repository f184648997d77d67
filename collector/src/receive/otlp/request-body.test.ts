/** A body is what its chunks are, and its buffer comes with its bytes. */
import { expect, test } from "vitest";

import { ByteBudget } from "./byte-budget.ts";
import { BodyCollector } from "./request-body.ts";

const mebibyte = 2 ** 20;
const collector = (declared: number | undefined): BodyCollector =>
  new BodyCollector(declared, new ByteBudget(64 * mebibyte).take("p", declared ?? 65_536));

test("a body that is declared large holds memory only once a part of it has come", () => {
  const before = process.memoryUsage().arrayBuffers;
  const held = Array.from({ length: 8 }, () => collector(32 * mebibyte));
  for (const one of held) one.add(new Uint8Array(3));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * mebibyte);
  expect(held.map((one) => one.whole().byteLength)).toEqual(held.map(() => 3));
});

test.each([undefined, 10, 70_000, 300_000])(
  "a body of %s bytes is what its chunks are",
  (declared) => {
    const length = declared ?? 200_000;
    const sent = Uint8Array.from({ length }, (_, index) => index * 7);
    for (const part of [1_000, 65_536, 65_537, 400_000]) {
      const body = collector(declared);
      for (let from = 0; from < length; from += part) body.add(sent.subarray(from, from + part));
      const whole = body.whole();
      expect(Buffer.compare(whole, sent)).toBe(0);
      expect(whole.buffer.byteLength).toBe(length);
    }
  },
);

test("more than was declared is refused", () => {
  for (const declared of [10, 100_000]) {
    const body = collector(declared);
    body.add(new Uint8Array(declared));
    expect(() => body.add(new Uint8Array(1))).toThrow("bad_request");
  }
});
