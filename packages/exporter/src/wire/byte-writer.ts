/**
 * @module Byte writer: protobuf's primitives in one growing buffer. Messages are written in place:
 * a length gets the bytes that it will probably need and is corrected at the end.
 */

import { utf8Bytes } from "@turnproof/semconv";

const encoder = new TextEncoder();

/** Initial bytes of a writer, and the size above which it does not keep its buffer. */
const bytesFirst = 8_192;
const bytesKept = 4_194_304;

/** Values of hex digits by character code. */
const hexValues: Uint8Array = (() => {
  const values = new Uint8Array(128);
  for (let digit = 0; digit < 16; digit++) {
    const text = digit.toString(16);
    values[text.charCodeAt(0)] = digit;
    values[text.toUpperCase().charCodeAt(0)] = digit;
  }
  return values;
})();

/** Tag of a text in field 1. */
const firstText = 0x0a;

/** Writes a whole number below 2^31 and returns its end. */
function putVarint(buffer: Uint8Array, from: number, value: number): number {
  let at = from;
  let rest = value;
  for (; rest > 127; rest >>>= 7) buffer[at++] = (rest & 127) | 128;
  buffer[at++] = rest;
  return at;
}

/** Bytes of an unsigned whole number below 2^32 as a varint. */
export function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}

/** A growing buffer with a write position. */
export class ByteWriter {
  private buffer: Uint8Array<ArrayBuffer>;
  private view: DataView;
  at = 0;

  /** `bytes`: initial capacity. */
  constructor(bytes: number = bytesFirst) {
    this.buffer = new Uint8Array(bytes);
    this.view = viewOf(this.buffer);
  }

  /** Resets the writer, and drops a buffer that grew too large. */
  reset(): void {
    this.at = 0;
    if (this.buffer.length > bytesKept) this.become(new Uint8Array(bytesFirst));
  }

  /** Bytes written since `from`; valid until the next write. */
  bytes(from = 0): Uint8Array {
    return this.buffer.subarray(from, this.at);
  }

  private become(buffer: Uint8Array<ArrayBuffer>): void {
    this.buffer = buffer;
    this.view = viewOf(buffer);
  }

  private room(more: number): void {
    const needed = this.at + more;
    if (needed <= this.buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2));
    grown.set(this.buffer.subarray(0, this.at));
    this.become(grown);
  }

  /** One byte, e.g. a tag below 16. */
  byte(value: number): void {
    this.room(1);
    this.buffer[this.at++] = value;
  }

  /** Bytes as they are. */
  copy(bytes: Uint8Array): void {
    const { length } = bytes;
    this.room(length);
    const { buffer, at } = this;
    // For small copies, a loop here is cheaper than a call into the engine.
    if (length > 64) buffer.set(bytes, at);
    else for (let index = 0; index < length; index++) buffer[at + index] = bytes[index] as number;
    this.at = at + length;
  }

  /** A whole number of at most 53 bits, a negative one as its 64-bit two's complement. */
  varint(value: number): void {
    this.room(10);
    let { at } = this;
    const { buffer } = this;
    if (value >= 0 && value < 0x8000_0000) at = putVarint(buffer, at, value);
    else {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest > 127n; rest >>= 7n) buffer[at++] = Number(rest & 127n) | 128;
      buffer[at++] = Number(rest);
    }
    this.at = at;
  }

  /** 32 bits, little-endian. */
  fixed32(value: number): void {
    this.room(4);
    this.view.setUint32(this.at, value, true);
    this.at += 4;
  }

  /** A floating-point number of 64 bits. */
  double(value: number): void {
    this.room(8);
    this.view.setFloat64(this.at, value, true);
    this.at += 8;
  }

  /** Nanoseconds since 1970 from whole seconds and the rest, in 64 bits. */
  nanoseconds(seconds: number, rest: number): void {
    this.room(8);
    // A double cannot hold the sum, so the upper seconds are carried separately.
    const upper = Math.floor(seconds / 0x1_0000) * 1e9;
    const lower = (seconds % 0x1_0000) * 1e9 + Math.trunc(rest);
    const low = (upper % 0x1_0000) * 0x1_0000 + (lower % 0x1_0000_0000);
    const high =
      Math.floor(upper / 0x1_0000) +
      Math.floor(lower / 0x1_0000_0000) +
      Math.floor(low / 0x1_0000_0000);
    this.view.setUint32(this.at, low, true);
    this.view.setUint32(this.at + 4, high, true);
    this.at += 8;
  }

  /** An id of that many bytes from its hex digits, with its length before it. */
  hex(text: string, bytes: number): void {
    this.room(bytes + 1);
    const { buffer, at } = this;
    buffer[at] = bytes;
    for (let index = 0; index < bytes; index++) {
      const high = hexValues[text.charCodeAt(index * 2)] as number;
      const low = hexValues[text.charCodeAt(index * 2 + 1)] as number;
      buffer[at + 1 + index] = (high << 4) | low;
    }
    this.at = at + bytes + 1;
  }

  /** A text with its length before it. */
  text(text: string): void {
    const { length } = text;
    this.room(length + 5);
    const from = this.at;
    this.varint(length);
    if (this.ascii(text)) return;
    this.at = from;
    const bytes = utf8Bytes(text);
    this.room(bytes + 5);
    this.varint(bytes);
    this.utf8(text, bytes);
  }

  /**
   * A message field: the bytes of its head, then a message with one text under the tag of a first
   * field. Most output has this form, so it is written in one step.
   */
  textPair(tag: number, head: Uint8Array, text: string): void {
    if (!this.pairOf(tag, head, text, text.length)) {
      this.pairOf(tag, head, text, utf8Bytes(text));
    }
  }

  /** The same for a whole number from 0 to 2^31, under a tag of its own. */
  numberPair(tag: number, head: Uint8Array, numberTag: number, value: number): void {
    const inner = 1 + varintBytes(value);
    const pair = head.length + 1 + inner;
    this.room(pair + 3);
    const { buffer } = this;
    let { at } = this;
    buffer[at++] = tag;
    at = putVarint(buffer, at, pair);
    for (let index = 0; index < head.length; index++) buffer[at++] = head[index] as number;
    buffer[at++] = inner;
    buffer[at++] = numberTag;
    this.at = putVarint(buffer, at, value);
  }

  /** False, with nothing written, when the text has more bytes than assumed. */
  private pairOf(tag: number, head: Uint8Array, text: string, bytes: number): boolean {
    const inner = 1 + varintBytes(bytes) + bytes;
    const pair = head.length + varintBytes(inner) + inner;
    this.room(pair + 6);
    const from = this.at;
    const { buffer } = this;
    let at = from;
    buffer[at++] = tag;
    at = putVarint(buffer, at, pair);
    for (let index = 0; index < head.length; index++) buffer[at++] = head[index] as number;
    at = putVarint(buffer, at, inner);
    buffer[at++] = firstText;
    at = putVarint(buffer, at, bytes);
    this.at = at;
    if (bytes !== text.length) this.utf8(text, bytes);
    else if (!this.ascii(text)) {
      this.at = from;
      return false;
    }
    return true;
  }

  /** The characters of an ASCII text, with room reserved; false for any other text. */
  private ascii(text: string): boolean {
    const { length } = text;
    const { buffer, at } = this;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      buffer[at + index] = code;
    }
    this.at = at + length;
    return true;
  }

  /** The bytes of a text, with room reserved. */
  private utf8(text: string, bytes: number): void {
    encoder.encodeInto(text, this.buffer.subarray(this.at, this.at + bytes));
    this.at += bytes;
  }

  /** Begins a message of unknown length; `reserve`: bytes that its length may need. */
  open(reserve: 1 | 2): number {
    this.room(reserve);
    const from = this.at;
    this.at += reserve;
    return from;
  }

  /**
   * Ends the message that `open` began: writes its length, moving the content where it needs more
   * bytes.
   */
  close(from: number, reserve: 1 | 2): void {
    const start = from + reserve;
    const length = this.at - start;
    const needed = varintBytes(length);
    if (needed !== reserve) {
      this.room(needed);
      this.buffer.copyWithin(from + needed, start, this.at);
    }
    // Room is reserved by now. Growing here would keep only what precedes the length.
    putVarint(this.buffer, from, length);
    this.at = from + needed + length;
  }
}

function viewOf(buffer: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(buffer.buffer);
}
