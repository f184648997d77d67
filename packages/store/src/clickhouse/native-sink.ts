/**
 * @module NativeSink: the values of one column of the Native format, by the column's type.
 * Classes, because this runs for every column of every row.
 */
import { NativeBuffer } from "./native-buffer.ts";

/** A value of a column; bigint only where the type has 64 bits. */
export type NativeValue = string | number | bigint | boolean | null | readonly NativeValue[];

/** One column under construction. */
export abstract class NativeSink {
  protected readonly values: NativeBuffer = new NativeBuffer();

  abstract push(value: NativeValue): void;
  /** The type's default, `count` times. */
  abstract pad(count: number): void;

  /** Bytes of prefix and body, at most. */
  get size(): number {
    return this.values.size;
  }

  /** Gives up its memory. */
  end(): void {
    this.values.end();
  }

  /** Data before all rows of the outermost column (dictionary versions). */
  prefix(_out: NativeBuffer): void {}

  body(out: NativeBuffer): void {
    out.bytes(this.values.view());
  }
}

/** A sink for the type. Throws a RangeError for a type that none of our tables has. */
export function sinkOf(type: string): NativeSink {
  const inner = /^(\w+)\((.*)\)$/.exec(type);
  switch (inner?.[1] ?? type) {
    case "String":
      return new TextSink();
    case "Bool":
    case "UInt8":
    case "Enum8":
      return new FixedSink(1);
    case "UInt16":
      return new FixedSink(2);
    case "UInt32":
    case "DateTime":
      return new FixedSink(4);
    case "Int64":
    case "UInt64":
    case "DateTime64":
      return new WideSink();
    case "Float64":
      return new FloatSink();
    case "Nullable":
      return new NullableSink(sinkOf(inner?.[2] ?? ""));
    case "Array":
      return new ListSink(sinkOf(inner?.[2] ?? ""));
    case "LowCardinality":
      return new DictionarySink();
    default:
      throw new RangeError(`no Native form for ${type}`);
  }
}

class TextSink extends NativeSink {
  push(value: NativeValue): void {
    this.values.text(String(value));
  }

  pad(count: number): void {
    this.values.repeat(0, count);
  }
}

/** Unsigned numbers of one, two or four bytes. */
class FixedSink extends NativeSink {
  private readonly width: 1 | 2 | 4;

  constructor(width: 1 | 2 | 4) {
    super();
    this.width = width;
  }

  push(value: NativeValue): void {
    const number = Number(value);
    if (this.width === 4) this.values.u32(number);
    else if (this.width === 2) this.values.u16(number);
    else this.values.u8(number);
  }

  pad(count: number): void {
    this.values.repeat(0, count * this.width);
  }
}

/** Whole numbers of 64 bits. */
class WideSink extends NativeSink {
  push(value: NativeValue): void {
    if (typeof value === "bigint") this.values.big64(value);
    else this.values.i64(Number(value));
  }

  pad(count: number): void {
    this.values.repeat(0, count * 8);
  }
}

class FloatSink extends NativeSink {
  push(value: NativeValue): void {
    this.values.f64(Number(value));
  }

  pad(count: number): void {
    this.values.repeat(0, count * 8);
  }
}

class NullableSink extends NativeSink {
  private readonly inner: NativeSink;

  constructor(inner: NativeSink) {
    super();
    this.inner = inner;
  }

  push(value: NativeValue): void {
    this.values.u8(value === null ? 1 : 0);
    if (value === null) this.inner.pad(1);
    else this.inner.push(value);
  }

  pad(count: number): void {
    this.values.repeat(1, count);
    this.inner.pad(count);
  }

  override get size(): number {
    return super.size + this.inner.size;
  }

  override end(): void {
    super.end();
    this.inner.end();
  }

  override prefix(out: NativeBuffer): void {
    this.inner.prefix(out);
  }

  override body(out: NativeBuffer): void {
    out.bytes(this.values.view());
    this.inner.body(out);
  }
}

class ListSink extends NativeSink {
  private readonly inner: NativeSink;
  private total = 0;

  constructor(inner: NativeSink) {
    super();
    this.inner = inner;
  }

  push(value: NativeValue): void {
    const items = Array.isArray(value) ? (value as readonly NativeValue[]) : [];
    for (const item of items) this.inner.push(item);
    this.total += items.length;
    this.values.i64(this.total);
  }

  pad(count: number): void {
    for (let i = 0; i < count; i += 1) this.values.i64(this.total);
  }

  override get size(): number {
    return super.size + this.inner.size;
  }

  override end(): void {
    super.end();
    this.inner.end();
  }

  override prefix(out: NativeBuffer): void {
    this.inner.prefix(out);
  }

  override body(out: NativeBuffer): void {
    out.bytes(this.values.view());
    if (this.total > 0) this.inner.body(out);
  }
}

/** Four numbers of a dictionary: version, form, texts, rows. */
const headBytes = 32;

/** LowCardinality(String): the distinct texts once, then an index per row. */
class DictionarySink extends NativeSink {
  private readonly places = new Map<string, number>([["", 0]]);
  private indexes = new Uint32Array(1024);
  private rows = 0;
  private last = "";
  private lastPlace = 0;

  constructor() {
    super();
    this.values.text("");
  }

  push(value: NativeValue): void {
    const text = String(value);
    if (text !== this.last) {
      let place = this.places.get(text);
      if (place === undefined) {
        place = this.places.size;
        this.places.set(text, place);
        this.values.text(text);
      }
      this.last = text;
      this.lastPlace = place;
    }
    if (this.rows === this.indexes.length) this.grow(this.rows + 1);
    this.indexes[this.rows++] = this.lastPlace;
  }

  pad(count: number): void {
    const end = this.rows + count;
    if (end > this.indexes.length) this.grow(end);
    this.indexes.fill(0, this.rows, end);
    this.rows = end;
  }

  override get size(): number {
    return super.size + this.rows * 4 + headBytes;
  }

  private grow(needed: number): void {
    const grown = new Uint32Array(Math.max(needed, this.indexes.length * 2));
    grown.set(this.indexes);
    this.indexes = grown;
  }

  override prefix(out: NativeBuffer): void {
    out.i64(1);
  }

  override body(out: NativeBuffer): void {
    const { places, rows } = this;
    const width = places.size <= 256 ? 0 : places.size <= 65_536 ? 1 : 2;
    // Additional keys follow (0x200) and replace the dictionary (0x400).
    out.i64(0x600 + width);
    out.i64(places.size);
    out.bytes(this.values.view());
    out.i64(rows);
    const used = this.indexes.subarray(0, rows);
    const packed =
      width === 0 ? Uint8Array.from(used) : width === 1 ? Uint16Array.from(used) : used;
    out.bytes(new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength));
  }
}
