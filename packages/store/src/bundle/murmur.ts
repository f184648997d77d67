/** @module Murmur: MurmurHash3 of 32 bits over UTF-8, the engine's `murmurHash3_32`. */
const c1 = 0xcc9e2d51;
const c2 = 0x1b873593;

/** The hash of a text, unsigned; equal to `murmurHash3_32(text)` in SQL. */
export function murmur32(text: string): number {
  const length = text.length;
  const blocks = length & ~3;
  let hash = 0;
  let beyond = 0;
  // Nearly every text is ASCII, whose bytes are its code units, so no copy is made.
  for (let at = 0; at < blocks; at += 4) {
    const a = text.charCodeAt(at);
    const b = text.charCodeAt(at + 1);
    const c = text.charCodeAt(at + 2);
    const d = text.charCodeAt(at + 3);
    beyond |= a | b | c | d;
    hash = mixed(hash, a | (b << 8) | (c << 16) | (d << 24));
  }
  let tail = 0;
  for (let at = length - 1; at >= blocks; at -= 1) {
    const unit = text.charCodeAt(at);
    beyond |= unit;
    tail = (tail << 8) | unit;
  }
  return beyond > 0x7f ? hashOfBytes(Buffer.from(text, "utf8")) : finished(hash, tail, length);
}

function hashOfBytes(bytes: Buffer): number {
  const blocks = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < blocks; at += 4) hash = mixed(hash, bytes.readInt32LE(at));
  let tail = 0;
  for (let at = bytes.length - 1; at >= blocks; at -= 1) tail = (tail << 8) | (bytes[at] ?? 0);
  return finished(hash, tail, bytes.length);
}

function mixed(before: number, block: number): number {
  const hash = before ^ scramble(block);
  return (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
}

/** The last up to three bytes and the length; a tail of zero changes nothing. */
function finished(before: number, tail: number, length: number): number {
  let hash = before ^ scramble(tail) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(block: number): number {
  const product = Math.imul(block, c1);
  return Math.imul((product << 15) | (product >>> 17), c2);
}
