/** @module NativeBuffer: a growing buffer in the little-endian forms of the Native format. */

const two32 = 4_294_967_296;

/** Buffers of at least this size are used again: new memory costs more than writing to it. */
const largeBytes = 65_536;
/** Bytes that wait for their next use in a thread. */
const spareBytesMax = 12 * 1024 * 1024;
/** Large buffers without an owner, in the order of their release. */
const spare: Buffer[] = [];

/** A buffer of at least this size; a large one is one of its own, not of Node's pool. */
function bufferOf(bytes: number): Buffer {
  if (bytes < largeBytes) return Buffer.allocUnsafe(bytes);
  let best = -1;
  for (const [at, { length }] of spare.entries()) {
    if (length >= bytes && length < (spare[best]?.length ?? Infinity)) best = at;
  }
  return best < 0 ? Buffer.allocUnsafeSlow(bytes) : (spare.splice(best, 1)[0] as Buffer);
}

const nothing = Buffer.alloc(0);

function release(buffer: Buffer): void {
  if (buffer.length < largeBytes) return;
  spare.push(buffer);
  let total = spare.reduce((sum, { length }) => sum + length, 0);
  while (total > spareBytesMax) total -= spare.shift()?.length ?? total;
}

/** Appends numbers, lengths and text; grows by doubling. */
export class NativeBuffer {
  private buffer: Buffer;
  private filled = 0;

  /** An alone buffer is not shared with any other: its memory may be transferred. */
  constructor(capacity = 256, { alone = false }: { readonly alone?: boolean } = {}) {
    this.buffer = alone ? Buffer.allocUnsafeSlow(capacity) : bufferOf(capacity);
  }

  get size(): number {
    return this.filled;
  }

  /** Reserves bytes and returns their position. */
  private take(count: number): number {
    const at = this.filled;
    this.filled = at + count;
    if (this.filled > this.buffer.length) this.grow(at);
    return at;
  }

  private grow(used: number): void {
    const grown = bufferOf(Math.max(this.filled, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, used);
    release(this.buffer);
    this.buffer = grown;
  }

  u8(value: number): void {
    const at = this.take(1);
    this.buffer[at] = value;
  }

  u16(value: number): void {
    const at = this.take(2);
    this.buffer.writeUInt16LE(value, at);
  }

  /** Throws a RangeError beyond 32 bits. */
  u32(value: number): void {
    const at = this.take(4);
    this.buffer.writeUInt32LE(value, at);
  }

  /**
   * A whole number of at most 53 bits and either sign, as 64-bit two's complement. Throws a
   * RangeError beyond 64 bits.
   */
  i64(value: number): void {
    const at = this.take(8);
    const high = Math.floor(value / two32);
    this.buffer.writeUInt32LE(value - high * two32, at);
    this.buffer.writeInt32LE(high, at + 4);
  }

  big64(value: bigint): void {
    const at = this.take(8);
    this.buffer.writeBigInt64LE(BigInt.asIntN(64, value), at);
  }

  f64(value: number): void {
    const at = this.take(8);
    this.buffer.writeDoubleLE(value, at);
  }

  /** Unsigned LEB128, the encoding of lengths. */
  length(value: number): void {
    const at = this.take(5);
    this.filled = writeLength(this.buffer, at, value);
  }

  /** Length and UTF-8 bytes. Throws a RangeError for text that is not well formed. */
  text(value: string): void {
    // Room for the longest UTF-8 form, so that the write is never truncated.
    const at = this.take(value.length * 3 + 5);
    this.filled = writeText(this.buffer, at, value);
  }

  bytes(value: Uint8Array): void {
    const at = this.take(value.length);
    this.buffer.set(value, at);
  }

  /** The same byte this many times. */
  repeat(value: number, count: number): void {
    const at = this.take(count);
    this.buffer.fill(value, at, at + count);
  }

  /** The bytes so far; valid until the next append or its end. */
  view(): Buffer {
    return this.buffer.subarray(0, this.filled);
  }

  /** Its memory serves other buffers from now on; it is empty. */
  end(): void {
    release(this.buffer);
    this.buffer = nothing;
    this.filled = 0;
  }
}

/** Writes a length and returns its end. */
function writeLength(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    buffer[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
}

/** Writes length and UTF-8 bytes at the start and returns their end. */
function writeText(buffer: Buffer, start: number, value: string): number {
  const chars = value.length;
  // Most text is short ASCII, for which a loop is faster than the call into the runtime.
  if (chars < 128) {
    let i = 0;
    for (; i < chars; i += 1) {
      const unit = value.charCodeAt(i);
      if (unit > 127) break;
      buffer[start + 1 + i] = unit;
    }
    if (i === chars) {
      buffer[start] = chars;
      return start + 1 + chars;
    }
  }
  // A lone surrogate would be read back as another text.
  if (!value.isWellFormed()) throw new RangeError("text is not well formed");
  const at = writeLength(buffer, start, Buffer.byteLength(value));
  return at + buffer.write(value, at, "utf8");
}
