/**
 * @module NativeWriter: blocks of ClickHouse's Native format: columns with their names and types,
 * one after the other. The engine takes such a block without parsing rows, and a column that no row
 * touches is not in it at all.
 */
import { nativeBuffer } from "./native-buffer.ts";
import type { NativeBuffer } from "./native-buffer.ts";

/** A value of a column; bigint only where the type has 64 bits. */
export type NativeValue = string | number | bigint | boolean | null | readonly NativeValue[];

/** One column under construction. */
interface Sink {
  push(value: NativeValue): void;
  /** The type's default, `count` times. */
  pad(count: number): void;
  /** What stands before all rows of the outermost column (dictionary versions). */
  prefix(out: NativeBuffer): void;
  body(out: NativeBuffer): void;
}

/** A block under construction: values by column and row; rows may leave any column out. */
export interface NativeBlock {
  /** Sets the value of a column in the current row. */
  set(column: string, type: string, value: NativeValue): void;
  /** Ends the current row. */
  endRow(): void;
  readonly rows: number;
  /** Columns that some row touched, and their types. */
  columns(): readonly { readonly name: string; readonly type: string }[];
  /** The block's bytes. */
  encode(): Buffer;
}

/** An empty block. */
export function nativeBlock(): NativeBlock {
  const columns = new Map<string, { type: string; sink: Sink; filled: number }>();
  let rows = 0;
  return {
    set(name, type, value) {
      let column = columns.get(name);
      if (column === undefined) {
        column = { type, sink: sinkOf(type), filled: 0 };
        columns.set(name, column);
      }
      if (column.filled < rows) column.sink.pad(rows - column.filled);
      column.sink.push(value);
      column.filled = rows + 1;
    },
    endRow() {
      rows += 1;
    },
    get rows() {
      return rows;
    },
    columns: () => [...columns].map(([name, { type }]) => ({ name, type })),
    encode() {
      const out = nativeBuffer(1 << 16);
      out.length(columns.size);
      out.length(rows);
      for (const [name, { type, sink, filled }] of columns) {
        if (filled < rows) sink.pad(rows - filled);
        out.text(name);
        out.text(type);
        if (rows === 0) continue;
        sink.prefix(out);
        sink.body(out);
      }
      return out.view();
    },
  };
}

function sinkOf(type: string): Sink {
  const inner = /^(\w+)\((.*)\)$/.exec(type);
  switch (inner?.[1] ?? type) {
    case "String":
      return flat(
        (to, value) => to.text(String(value)),
        (to, count) => to.zeros(count),
      );
    case "Bool":
    case "UInt8":
    case "Enum8":
      return fixed(1, (to, value) => to.u8(Number(value)));
    case "UInt16":
      return fixed(2, (to, value) => to.u16(Number(value)));
    case "UInt32":
    case "DateTime":
      return fixed(4, (to, value) => to.u32(Number(value)));
    case "Int64":
    case "UInt64":
    case "DateTime64":
      return fixed(8, (to, value) => {
        if (typeof value === "bigint") to.big64(value);
        else to.i64(Number(value));
      });
    case "Float64":
      return fixed(8, (to, value) => to.f64(Number(value)));
    case "Nullable":
      return nullable(sinkOf(inner?.[2] ?? ""));
    case "Array":
      return list(sinkOf(inner?.[2] ?? ""));
    case "LowCardinality":
      return dictionary();
    default:
      throw new RangeError(`no Native form for ${type}`);
  }
}

function flat(
  write: (to: NativeBuffer, value: NativeValue) => void,
  pad: (to: NativeBuffer, count: number) => void,
): Sink {
  const values = nativeBuffer();
  return {
    push: (value) => write(values, value),
    pad: (count) => pad(values, count),
    prefix: () => {},
    body: (out) => out.bytes(values.view()),
  };
}

function fixed(bytes: number, write: (to: NativeBuffer, value: NativeValue) => void): Sink {
  return flat(write, (to, count) => to.zeros(count * bytes));
}

function nullable(values: Sink): Sink {
  const mask = nativeBuffer();
  return {
    push(value) {
      mask.u8(value === null ? 1 : 0);
      if (value === null) values.pad(1);
      else values.push(value);
    },
    pad(count) {
      for (let i = 0; i < count; i += 1) mask.u8(1);
      values.pad(count);
    },
    prefix: (out) => values.prefix(out),
    body(out) {
      out.bytes(mask.view());
      values.body(out);
    },
  };
}

function list(values: Sink): Sink {
  const ends = nativeBuffer();
  let total = 0;
  return {
    push(value) {
      const items = Array.isArray(value) ? (value as readonly NativeValue[]) : [];
      for (const item of items) values.push(item);
      total += items.length;
      ends.i64(total);
    },
    pad(count) {
      for (let i = 0; i < count; i += 1) ends.i64(total);
    },
    prefix: (out) => values.prefix(out),
    body(out) {
      out.bytes(ends.view());
      if (total > 0) values.body(out);
    },
  };
}

/** LowCardinality(String): the distinct texts once, then an index per row. */
function dictionary(): Sink {
  const places = new Map<string, number>([["", 0]]);
  const keys = nativeBuffer();
  keys.text("");
  let indexes = new Uint32Array(1024);
  let rows = 0;
  let last = "";
  let lastPlace = 0;
  function append(place: number, count: number): void {
    if (rows + count > indexes.length) {
      const grown = new Uint32Array(Math.max(rows + count, indexes.length * 2));
      grown.set(indexes);
      indexes = grown;
    }
    indexes.fill(place, rows, rows + count);
    rows += count;
  }
  return {
    push(value) {
      const text = String(value);
      if (text !== last) {
        let place = places.get(text);
        if (place === undefined) {
          place = places.size;
          places.set(text, place);
          keys.text(text);
        }
        last = text;
        lastPlace = place;
      }
      append(lastPlace, 1);
    },
    pad: (count) => append(0, count),
    prefix: (out) => out.i64(1),
    body(out) {
      const width = places.size <= 256 ? 0 : places.size <= 65_536 ? 1 : 2;
      // Additional keys follow (0x200) and replace the dictionary (0x400).
      out.i64(0x600 + width);
      out.i64(places.size);
      out.bytes(keys.view());
      out.i64(rows);
      const used = indexes.subarray(0, rows);
      const packed =
        width === 0 ? Uint8Array.from(used) : width === 1 ? Uint16Array.from(used) : used;
      out.bytes(new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength));
    },
  };
}
