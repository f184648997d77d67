/** @module Tests of the hash: published figures, and equal results for ASCII and UTF-8 paths. */
import { expect, test } from "vitest";

import { murmur32 } from "./murmur.ts";

// Figures of MurmurHash3_x86_32 with seed 0; the suite of the store compares with the engine's own.
test.each([
  ["", 0],
  ["hello", 0x248bfa47],
  ["hello, world", 0x149bbb7f],
  ["The quick brown fox jumps over the lazy dog", 0x2e4ff723],
])("%j", (text, hash) => {
  expect(murmur32(text)).toBe(hash);
});

test("text beyond ASCII goes by its UTF-8 bytes at every length", () => {
  for (const text of ["ü", "aü", "abü", "abcü", "abcdü", "日本語テキスト", "e\u0301"]) {
    expect(murmur32(text)).toBe(reference(Buffer.from(text, "utf8")));
  }
  for (let length = 0; length < 40; length += 1) {
    const text = "0123456789abcdef-XYZ_".repeat(2).slice(0, length);
    expect(murmur32(text)).toBe(reference(Buffer.from(text)));
  }
});

/** The published algorithm with BigInt, independent of our implementation. */
function reference(bytes: Buffer): number {
  const mask = 0xffff_ffffn;
  const rotl = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (32n - by))) & mask;
  const scramble = (k: bigint): bigint =>
    (rotl((k * 0xcc9e2d51n) & mask, 15n) * 0x1b873593n) & mask;
  let hash = 0n;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    hash = (rotl(hash ^ scramble(BigInt(bytes.readUInt32LE(at))), 13n) * 5n + 0xe6546b64n) & mask;
  }
  let tail = 0n;
  for (let at = bytes.length - 1; at >= whole; at -= 1) {
    tail = (tail << 8n) | BigInt(bytes[at] ?? 0);
  }
  if (whole < bytes.length) hash ^= scramble(tail);
  hash ^= BigInt(bytes.length);
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask;
  return Number(hash ^ (hash >> 16n));
}
