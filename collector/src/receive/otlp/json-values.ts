/**
 * @module JSON values: reads allowlisted attributes from a scanned JSON body, and the scalar forms
 * of OTLP/JSON: ids in hex, 64-bit integers as text or number, enums as number or name.
 */
import { limits } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";

import { asciiText } from "./byte-text.ts";
import { char } from "./json-cursor.ts";
import type { JsonCursor } from "./json-cursor.ts";
import { KeyTable } from "./key-table.ts";
import { textBytesMax } from "./span-builder.ts";
import type { DecodedAttributes, SpanBuilder } from "./span-builder.ts";
import type { SourceTables } from "./source-tables.ts";
import { nanoDigits } from "./unix-nano.ts";

type Scalar = string | number | boolean;

const pairKeys = new KeyTable(["key", "value"]);
const valueKeys = new KeyTable([
  "stringValue",
  "boolValue",
  "intValue",
  "doubleValue",
  "arrayValue",
  "kvlistValue",
  "bytesValue",
]);
const listKeys = new KeyTable(["values"]);
/** The widest text of a 64-bit integer. */
const integerCharsMax = 24;

/** Reads values at a cursor in a body that `scanJson` accepted. */
export class JsonValues {
  private readonly cursor: JsonCursor;
  private readonly tables: SourceTables;
  private readonly builder: SpanBuilder;
  /** True while the value of a name is read. */
  private naming: "attribute" | "span" | undefined;

  constructor(cursor: JsonCursor, tables: SourceTables, builder: SpanBuilder) {
    this.cursor = cursor;
    this.tables = tables;
    this.builder = builder;
  }

  /** Reads a list of key-value pairs and keeps those whose key is in the table. */
  attributes(into: DecodedAttributes): void {
    this.cursor.array(() => {
      const valueAt = this.pair(this.tables.attributes);
      if (this.found < 0) {
        this.builder.drop("attribute_unknown");
        return;
      }
      const name = this.tables.attributes.names[this.found] as string;
      this.naming = this.tables.isName[this.found] === true ? "attribute" : undefined;
      const value = this.valueAt(valueAt);
      this.naming = undefined;
      if (value !== undefined) into[name] = value;
    });
  }

  /** Skips one pair; returns the position of its value (or -1) and sets the key in `found`. */
  pair(keys: KeyTable): number {
    const { cursor } = this;
    let valueStart = -1;
    let found = -1;
    cursor.object(pairKeys, (member) => {
      if (member === 1) {
        cursor.peek();
        valueStart = cursor.position;
      } else if (cursor.peek() === char.quote) found = cursor.key(keys);
    });
    this.found = found;
    return valueStart;
  }

  /** Index of the last pair's key, or -1. */
  found = -1;

  /** Reads the AnyValue at `at`, without moving the cursor. */
  valueAt(at: number): AttributeValue | undefined {
    if (at < 0) return undefined;
    const { cursor } = this;
    const resume = cursor.position;
    cursor.position = at;
    const value = this.value(false);
    cursor.position = resume;
    return value;
  }

  private value(inList: boolean): AttributeValue | undefined {
    let value: AttributeValue | undefined;
    this.cursor.object(valueKeys, (member) => {
      value = this.member(member, inList);
    });
    return value;
  }

  private member(member: number, inList: boolean): AttributeValue | undefined {
    switch (member) {
      case 0:
        return this.text();
      case 1:
        return this.boolean();
      case 2:
        return this.integer();
      case 3:
        return this.double();
      case 4:
        if (!inList) return this.list();
        this.builder.drop("attribute_nested");
        return undefined;
      case 5:
        this.builder.drop("attribute_nested");
        return undefined;
      default:
        this.builder.drop("attribute_type");
        return undefined;
    }
  }

  /** The name of a foreign span; a longer one becomes its digest. */
  spanName(): string | undefined {
    this.naming = "span";
    const name = this.text();
    this.naming = undefined;
    return name;
  }

  /** A text under the byte cap; text that is not well-formed rejects the span. */
  text(): string | undefined {
    const { cursor } = this;
    if (cursor.peek() !== char.quote) {
      this.builder.drop("attribute_type");
      return undefined;
    }
    const start = cursor.position + 1;
    const end = cursor.skipString();
    const long = end - start > textBytesMax;
    if (long && this.naming === undefined) {
      this.builder.drop("attribute_too_long");
      return undefined;
    }
    const escaped = cursor.bytes.subarray(start, end).includes(char.backslash);
    const text = escaped
      ? cursor.unescape(start, end)
      : this.tables.memo.read(cursor.bytes, start, end);
    if (text === undefined) this.builder.reject("span_text_invalid");
    if (!long || text === undefined) return text;
    return this.naming === "span" ? this.builder.spanNameOf(text) : this.builder.nameOf(text);
  }

  private boolean(): boolean | undefined {
    const byte = this.cursor.peek();
    if (byte === 0x74 || byte === 0x66) return byte === 0x74;
    this.builder.drop("attribute_type");
    return undefined;
  }

  /**
   * Text of a short scalar, quoted or not, escapes resolved; "" when it is longer than `most` or
   * no scalar. Used for ids, digits and names of enums only.
   */
  private shortText(most: number): string {
    const { cursor } = this;
    const quoted = cursor.peek() === char.quote;
    if (!quoted && (cursor.peek() === char.openBrace || cursor.peek() === char.openBracket)) {
      return "";
    }
    const start = cursor.position + (quoted ? 1 : 0);
    const end = quoted ? cursor.skipString() : cursor.skipLiteral();
    // Every character may have been written as an escape of six.
    if (end - start > most * 6) return "";
    const escaped = cursor.bytes.subarray(start, end).includes(char.backslash);
    if (escaped) return cursor.unescape(start, end) ?? "";
    return asciiText(cursor.bytes, start, end);
  }

  /** Digits of a number, or of a number written as text; "" for anything else. */
  digits(): string {
    const text = this.shortText(integerCharsMax);
    return text.length <= integerCharsMax && /^-?\d+$/.test(text) ? text : "";
  }

  private integer(): number | undefined {
    const digits = this.digits();
    const value = digits === "" ? Number.NaN : Number(digits);
    if (Number.isSafeInteger(value)) return value;
    this.builder.drop("attribute_nonfinite");
    return undefined;
  }

  private double(): number | undefined {
    const { cursor } = this;
    const { bytes } = cursor;
    if (cursor.peek() === char.quote) {
      // The texts NaN, Infinity and -Infinity are valid in OTLP, but no measurement.
      this.builder.drop("attribute_nonfinite");
      return undefined;
    }
    const start = cursor.position;
    const end = cursor.skipLiteral();
    const value = end - start > 64 ? Number.NaN : Number(asciiText(bytes, start, end));
    if (Number.isFinite(value)) return value;
    this.builder.drop("attribute_nonfinite");
    return undefined;
  }

  private list(): AttributeValue | undefined {
    const entries: Scalar[] = [];
    let bad = false;
    this.cursor.object(listKeys, () => {
      this.cursor.array(() => {
        if (bad || entries.length >= limits.listEntriesMax) {
          if (!bad) this.builder.drop("attribute_list_too_long");
          bad = true;
          this.cursor.skip();
          return;
        }
        const entry = this.value(true) as Scalar | undefined;
        if (entry === undefined) bad = true;
        else if (entries.length > 0 && typeof entry !== typeof entries[0]) {
          this.builder.drop("attribute_type");
          bad = true;
        } else entries.push(entry);
      });
    });
    return bad ? undefined : (entries as AttributeValue);
  }

  /** An id of `length` hex digits in lower case; "" when it is none or all zero. */
  id(length: number): string {
    if (this.cursor.peek() !== char.quote) return "";
    const text = this.shortText(length);
    return isId(text, length) && !isZero(text) ? text.toLowerCase() : "";
  }

  /** A parent id: empty or zero means none; any other invalid id rejects the span. */
  parentId(): string {
    const text = this.cursor.peek() === char.quote ? this.shortText(16) : "?";
    if (text === "") return "";
    if (isId(text, 16)) return isZero(text) ? "" : text.toLowerCase();
    this.builder.reject("span_id_invalid");
    return "";
  }

  /** A count of nanoseconds, digit by digit; anything else rejects the span. */
  nanos(): string {
    const digits = nanoDigits(this.digits());
    if (digits === undefined) this.builder.reject("span_time_invalid");
    return digits ?? "0";
  }

  /** A number or one of the names (their index is the number); 0 for anything else. */
  enumeration(names: KeyTable): number {
    if (this.cursor.peek() === char.quote) {
      const index = this.cursor.key(names);
      return Math.max(index, 0);
    }
    const value = Number(this.digits());
    return value >= 0 && value < names.names.length ? value : 0;
  }
}

function isId(text: string, length: number): boolean {
  return text.length === length && /^[0-9a-fA-F]+$/.test(text);
}

function isZero(text: string): boolean {
  return /^0+$/.test(text);
}
