/** A large body is sent whole, in pieces that are made as they are taken and copy nothing. */
import { expect, test } from "vitest";

import { largeBody } from "./large-body.ts";

test("a small body stays as it is", () => {
  const body = new ArrayBuffer(256 * 1024);
  expect(largeBody(body)).toBe(body);
});

test("a large one is pieces of the same memory, and whole", async () => {
  const body = new ArrayBuffer(1_000_001);
  const bytes = new Uint8Array(body);
  for (let at = 0; at < bytes.length; at += 997) bytes[at] = at % 251;
  const pieces: Uint8Array[] = [];
  for await (const piece of largeBody(body) as ReadableStream<Uint8Array>) pieces.push(piece);
  expect(pieces).toHaveLength(4);
  expect(pieces.every(({ buffer }) => buffer === body)).toBe(true);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});
