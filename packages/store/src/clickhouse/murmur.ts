/** @module Murmur: MurmurHash3 of 32 bits over UTF-8, the engine's `murmurHash3_32`. */
const c1 = 0xcc9e2d51;
const c2 = 0x1b873593;

/** The hash of a text, unsigned; equal to `murmurHash3_32(text)` in SQL. */
export function murmur32(text: string): number {
  const bytes = Buffer.from(text, "utf8");
  const blocks = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < blocks; at += 4) {
    hash ^= scramble(bytes.readInt32LE(at));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= blocks; at -= 1) tail = (tail << 8) | (bytes[at] ?? 0);
  if (blocks < bytes.length) hash ^= scramble(tail);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(block: number): number {
  const mixed = Math.imul(block, c1);
  return Math.imul((mixed << 15) | (mixed >>> 17), c2);
}
