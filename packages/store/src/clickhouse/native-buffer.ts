/** @module NativeBuffer: a growing run of bytes in the little-endian forms of the Native format. */

/** Appends numbers, lengths and text; grows by doubling. */
export interface NativeBuffer {
  u8(value: number): void;
  u16(value: number): void;
  u32(value: number): void;
  /** A whole number of at most 53 bits and either sign, as 64-bit two's complement. */
  i64(value: number): void;
  big64(value: bigint): void;
  f64(value: number): void;
  /** Unsigned LEB128, as lengths are written. */
  length(value: number): void;
  /** Length and UTF-8 bytes. */
  text(value: string): void;
  bytes(value: Uint8Array): void;
  /** This many zero bytes. */
  zeros(count: number): void;
  readonly size: number;
  /** The bytes so far; valid until the next append. */
  view(): Buffer;
}

const two32 = 4_294_967_296;

/** An empty buffer. */
export function nativeBuffer(capacity = 256): NativeBuffer {
  let buffer = Buffer.allocUnsafe(capacity);
  let size = 0;

  /** Makes room and says where to write. */
  function take(count: number): number {
    const at = size;
    size += count;
    if (size > buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(size, buffer.length * 2));
      buffer.copy(grown, 0, 0, at);
      buffer = grown;
    }
    return at;
  }

  // Room is made first: growing replaces the buffer that the next statement writes to.
  return {
    u8(value) {
      const at = take(1);
      buffer[at] = value;
    },
    u16(value) {
      const at = take(2);
      buffer.writeUInt16LE(value, at);
    },
    u32(value) {
      const at = take(4);
      buffer.writeUInt32LE(value, at);
    },
    i64(value) {
      const at = take(8);
      writeInt64(buffer, at, value);
    },
    big64(value) {
      const at = take(8);
      buffer.writeBigInt64LE(BigInt.asIntN(64, value), at);
    },
    f64(value) {
      const at = take(8);
      buffer.writeDoubleLE(value, at);
    },
    length(value) {
      const at = take(5);
      size = writeLength(buffer, at, value);
    },
    text(value) {
      // Room for the longest UTF-8 form, so that the write cannot be cut.
      const at = take(value.length * 3 + 5);
      size = writeText(buffer, at, value);
    },
    bytes(value) {
      const at = take(value.length);
      buffer.set(value, at);
    },
    zeros(count) {
      const at = take(count);
      buffer.fill(0, at, at + count);
    },
    get size() {
      return size;
    },
    view: () => buffer.subarray(0, size),
  };
}

/** Throws a RangeError beyond 64 bits. */
function writeInt64(buffer: Buffer, at: number, value: number): void {
  const high = Math.floor(value / two32);
  buffer.writeUInt32LE(value - high * two32, at);
  buffer.writeInt32LE(high, at + 4);
}

/** Writes a length and says where it ends. */
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

/** Writes length and UTF-8 bytes at the start and says where they end. */
function writeText(buffer: Buffer, start: number, value: string): number {
  const chars = value.length;
  // Most text is short ASCII, for which a loop beats the call into the runtime.
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
  // A lone surrogate would come back as another text.
  if (!value.isWellFormed()) throw new RangeError("text is not well formed");
  const at = writeLength(buffer, start, Buffer.byteLength(value));
  return at + buffer.write(value, at, "utf8");
}
