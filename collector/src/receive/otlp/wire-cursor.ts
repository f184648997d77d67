/**
 * @module Wire cursor: reads protocol buffers in place. Every read is checked against the end of
 * the buffer, and a varint has at most ten bytes and 64 bits. A fault is recorded and ends the
 * reading; nothing is thrown, because a body may contain millions of malformed spans and an
 * exception costs microseconds each.
 */
import { CodedError } from "@turnproof/semconv";

import { wire } from "./wire-schema.ts";

/** The request cannot be decoded; permanent (OTLP: 400). */
export function malformed(field: string): CodedError {
  return new CodedError("otlp_malformed", { field });
}

/** Deepest nesting of groups in an unknown field. */
const groupDepthMax = 32;

/** A position in a protocol buffer. */
export class WireCursor {
  readonly bytes: Buffer;
  position: number;
  /** The first fault; undefined while everything read is well formed. */
  fault: string | undefined;
  /** End of the current message; reads beyond it are refused. */
  end: number;

  constructor(bytes: Buffer, start: number = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  /** Records a fault and moves to the end, where every loop stops. */
  fail(fault: string): 0 {
    this.fault ??= fault;
    this.position = this.end;
    return 0;
  }

  /** A varint, exact up to 2^53, rounded beyond; lengths and tags are far below. */
  varint(): number {
    const { bytes, position } = this;
    if (position + 4 > this.end) return this.wideVarint();
    // Nearly every varint has up to 28 bits, which whole numbers express.
    let byte = bytes[position] as number;
    let value = byte & 0x7f;
    if (byte < 0x80) {
      this.position = position + 1;
      return value;
    }
    byte = bytes[position + 1] as number;
    value |= (byte & 0x7f) << 7;
    if (byte < 0x80) {
      this.position = position + 2;
      return value;
    }
    byte = bytes[position + 2] as number;
    value |= (byte & 0x7f) << 14;
    if (byte < 0x80) {
      this.position = position + 3;
      return value;
    }
    byte = bytes[position + 3] as number;
    value |= (byte & 0x7f) << 21;
    if (byte >= 0x80) return this.wideVarint();
    this.position = position + 4;
    return value;
  }

  private wideVarint(): number {
    const { bytes, end } = this;
    let position = this.position;
    let value = 0;
    let factor = 1;
    for (let index = 0; index < 10; index++) {
      if (position >= end) return this.fail("truncated");
      const byte = bytes[position++] as number;
      if (index === 9 && byte > 1) return this.fail("varint");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.position = position;
        return value;
      }
      factor *= 128;
    }
    return this.fail("varint");
  }

  /** The low 32 bits of a varint, as an enum is truncated. */
  uint32(): number {
    const { bytes } = this;
    const start = this.position;
    this.varint();
    let value = 0;
    for (let at = start; at < this.position && at < start + 5; at++) {
      value |= ((bytes[at] as number) & 0x7f) << (7 * (at - start));
    }
    return value >>> 0;
  }

  /** A tag: field number in the upper bits, wire type in the lower three; 0 is a fault. */
  tag(): number {
    const tag = this.varint();
    return tag < 8 || tag > 0xffff_ffff ? this.fail("tag") : tag;
  }

  /** Reads a length prefix and returns where its content ends. */
  limit(): number {
    const length = this.varint();
    if (length > this.end - this.position) this.fail("truncated");
    return this.fault === undefined ? this.position + length : this.end;
  }

  /** Skips one value of the wire type; groups are walked without recursion. */
  skip(wireType: number, field: number): void {
    switch (wireType) {
      case wire.varint:
        this.varint();
        return;
      case wire.fixed64:
        this.advance(8);
        return;
      case wire.bytes:
        this.position = this.limit();
        return;
      case wire.fixed32:
        this.advance(4);
        return;
      case wire.startGroup:
        this.skipGroup(field);
        return;
      default:
        this.fail("wire_type");
    }
  }

  private advance(count: number): void {
    if (count > this.end - this.position) this.fail("truncated");
    else this.position += count;
  }

  private skipGroup(field: number): void {
    const open = [field];
    while (open.length > 0) {
      const tag = this.tag();
      if (tag === 0) return;
      const number = tag >>> 3;
      const wireType = tag & 7;
      if (wireType === wire.startGroup) {
        if (open.length >= groupDepthMax) return void this.fail("group");
        open.push(number);
      } else if (wireType === wire.endGroup) {
        if (open.pop() !== number) return void this.fail("group");
      } else {
        this.skip(wireType, number);
      }
    }
  }
}
