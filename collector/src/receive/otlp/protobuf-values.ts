/**
 * @module Protobuf values: reads allowlisted attributes from a scanned body. A key is recognized
 * by its bytes; the value of an unknown key is skipped.
 */
import type { CodedAttributes } from "@turnproof/exporter";
import { limits } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";

import { textBytesMax } from "./span-builder.ts";
import type { SpanBuilder } from "./span-builder.ts";
import type { SourceTables } from "./source-tables.ts";
import type { WireCursor } from "./wire-cursor.ts";

type Scalar = string | number | boolean;

/** Reads attributes at a cursor in a body that `scanProtobuf` accepted. */
export class ProtobufValues {
  private readonly cursor: WireCursor;
  private readonly tables: SourceTables;
  private readonly builder: SpanBuilder;
  private field = 0;
  private start = 0;
  private limit = 0;
  /** True while the value of a name is read. */
  private naming: "attribute" | "span" | undefined;

  constructor(cursor: WireCursor, tables: SourceTables, builder: SpanBuilder) {
    this.cursor = cursor;
    this.tables = tables;
    this.builder = builder;
  }

  /** Reads one KeyValue that ends at `end` and keeps it when its key is in the table. */
  attribute(end: number, into: CodedAttributes): void {
    const { cursor } = this;
    const { bytes, position } = cursor;
    // The usual form, a key of less than 128 bytes and then its value, needs no loop.
    let keyStart = position + 2;
    let keyEnd = keyStart + (bytes[position + 1] as number);
    let valueStart = -1;
    let valueEnd = end;
    if (bytes[position] === 10 && keyEnd < keyStart + 128 && bytes[keyEnd] === 18) {
      cursor.position = keyEnd + 1;
      const length = cursor.varint();
      if (cursor.position + length === end) valueStart = cursor.position;
    }
    if (valueStart >= 0) cursor.position = end;
    else {
      cursor.position = position;
      keyStart = keyEnd = 0;
    }
    while (cursor.position < end) {
      const tag = cursor.varint();
      if (tag === 10) {
        const length = cursor.varint();
        keyStart = cursor.position;
        keyEnd = keyStart + length;
        cursor.position = keyEnd;
      } else if (tag === 18) {
        const length = cursor.varint();
        valueStart = cursor.position;
        valueEnd = valueStart + length;
        cursor.position = valueEnd;
      } else cursor.skip(tag & 7, tag >>> 3);
    }
    const index = this.tables.attributes.find(cursor.bytes, keyStart, keyEnd);
    if (index < 0) {
      this.builder.drop("attribute_unknown");
      return;
    }
    if (valueStart < 0) return;
    cursor.position = valueStart;
    this.naming = this.tables.isName[index] === true ? "attribute" : undefined;
    const value = this.value(valueEnd);
    this.naming = undefined;
    if (value !== undefined) into.put(index, value);
    cursor.position = end;
  }

  /** The name of a foreign span; a longer one becomes its digest. */
  spanName(start: number, end: number): string | undefined {
    this.naming = "span";
    const name = this.text(start, end);
    this.naming = undefined;
    return name;
  }

  /** The text at `[start, end)` under the byte cap; bad UTF-8 rejects the span. */
  text(start: number, end: number): string | undefined {
    const long = end - start > textBytesMax;
    if (long && this.naming === undefined) {
      this.builder.drop("attribute_too_long");
      return undefined;
    }
    const text = this.tables.memo.read(this.cursor.bytes, start, end);
    if (text === undefined) this.builder.reject("span_text_invalid");
    if (!long || text === undefined) return text;
    return this.naming === "span" ? this.builder.spanNameOf(text) : this.builder.nameOf(text);
  }

  /** An AnyValue up to `end`: a scalar or a flat list, or undefined with the reason counted. */
  value(end: number): AttributeValue | undefined {
    const { bytes, position } = this.cursor;
    // The usual case: a short text that fills the value.
    if (bytes[position] === 10 && position + 2 + (bytes[position + 1] as number) === end) {
      if (end - position < 130) return this.text(position + 2, end);
    }
    this.locate(end);
    return this.field === 5 ? this.list() : this.scalar();
  }

  /** Finds the set member of the union; the last one wins. */
  private locate(end: number): void {
    const { cursor } = this;
    this.field = 0;
    while (cursor.position < end) {
      const tag = cursor.varint();
      const field = tag >>> 3;
      if (field < 1 || field > 7) {
        cursor.skip(tag & 7, field);
        continue;
      }
      this.field = field;
      if ((tag & 7) === 2) {
        const length = cursor.varint();
        this.start = cursor.position;
        cursor.position = this.limit = this.start + length;
      } else {
        this.start = cursor.position;
        cursor.skip(tag & 7, field);
      }
    }
  }

  private scalar(): Scalar | undefined {
    switch (this.field) {
      case 0:
        return undefined;
      case 1:
        return this.text(this.start, this.limit);
      case 2:
        return this.integer() !== 0;
      case 3:
        return this.finite(this.integer());
      case 4:
        return this.finite(this.cursor.bytes.readDoubleLE(this.start));
      case 7:
        this.builder.drop("attribute_type");
        return undefined;
      default:
        this.builder.drop("attribute_nested");
        return undefined;
    }
  }

  private finite(value: number): number | undefined {
    if (Number.isFinite(value)) return value;
    this.builder.drop("attribute_nonfinite");
    return undefined;
  }

  /** A signed 64-bit varint where a double expresses it exactly; NaN beyond. */
  private integer(): number {
    const { bytes } = this.cursor;
    let at = this.start;
    let byte = bytes[at++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let factor = 128;
    while (at - this.start < 7) {
      byte = bytes[at++] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    let wide = BigInt(value);
    for (let shift = 49n; ; shift += 7n) {
      byte = bytes[at++] as number;
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const signed = Number(BigInt.asIntN(64, wide));
    return Number.isSafeInteger(signed) ? signed : Number.NaN;
  }

  private list(): AttributeValue | undefined {
    const { cursor } = this;
    const end = this.limit;
    const entries: Scalar[] = [];
    let kind: string | undefined;
    cursor.position = this.start;
    while (cursor.position < end) {
      const tag = cursor.varint();
      if (tag !== 10) {
        cursor.skip(tag & 7, tag >>> 3);
        continue;
      }
      const entryEnd = cursor.varint() + cursor.position;
      if (entries.length >= limits.listEntriesMax) {
        this.builder.drop("attribute_list_too_long");
        return undefined;
      }
      this.locate(entryEnd);
      if (this.field === 0 || this.field === 5 || this.field === 6) {
        this.builder.drop(this.field === 0 ? "attribute_type" : "attribute_nested");
        return undefined;
      }
      const entry = this.scalar();
      cursor.position = entryEnd;
      if (entry === undefined) return undefined;
      kind ??= typeof entry;
      if (typeof entry !== kind) {
        this.builder.drop("attribute_type");
        return undefined;
      }
      entries.push(entry);
    }
    return entries as AttributeValue;
  }
}
