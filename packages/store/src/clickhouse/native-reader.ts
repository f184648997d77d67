/**
 * @module NativeReader: parses answers in ClickHouse's Native format into columns of JavaScript
 * values. No text is parsed, 64-bit numbers stay exact, and equal labels share one string.
 */

/** An answer by column; all columns have `rows` values. */
export interface NativeTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, readonly unknown[]>;
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** Reads `rows` values of one type. */
type Reader = (from: Cursor, rows: number) => unknown[];

/** All blocks of an answer, joined. */
export function readNative(bytes: Buffer): NativeTable {
  const from: Cursor = { bytes, at: 0 };
  const columns = new Map<string, unknown[]>();
  let total = 0;
  while (from.at < bytes.length) {
    const width = length(from);
    const rows = length(from);
    for (let i = 0; i < width; i += 1) {
      const name = text(from);
      const type = text(from);
      const values = rows === 0 ? [] : readColumn(from, type, rows);
      const known = columns.get(name);
      if (known === undefined) columns.set(name, values);
      else for (const value of values) known.push(value);
    }
    total += rows;
  }
  return { rows: total, columns };
}

function readColumn(from: Cursor, type: string, rows: number): unknown[] {
  // Dictionary versions of the whole column precede its rows, whatever it is nested in.
  if (type.includes("LowCardinality(")) from.at += 8;
  return readerOf(type)(from, rows);
}

function readerOf(type: string): Reader {
  const inner = /^(\w+)\((.*)\)$/.exec(type);
  const nested = inner?.[2] ?? "";
  switch (inner?.[1] ?? type) {
    case "String":
      return (from, rows) => Array.from({ length: rows }, () => text(from));
    case "Bool":
      return (from, rows) => each(from, rows, 1, (bytes, at) => bytes[at] === 1);
    case "UInt8":
      return (from, rows) => each(from, rows, 1, (bytes, at) => bytes[at]);
    case "UInt16":
      return (from, rows) => each(from, rows, 2, (bytes, at) => bytes.readUInt16LE(at));
    case "UInt32":
    case "DateTime":
      return (from, rows) => each(from, rows, 4, (bytes, at) => bytes.readUInt32LE(at));
    case "Int64":
      return (from, rows) => each(from, rows, 8, readInt64);
    case "UInt64":
      return (from, rows) => each(from, rows, 8, (bytes, at) => bytes.readBigUInt64LE(at));
    case "DateTime64":
      return (from, rows) => each(from, rows, 8, (bytes, at) => bytes.readBigInt64LE(at));
    case "Float64":
      return (from, rows) => each(from, rows, 8, (bytes, at) => bytes.readDoubleLE(at));
    case "Nullable":
      return nullable(readerOf(nested));
    case "Array":
      return list(readerOf(nested));
    case "LowCardinality":
      return dictionary;
    default:
      throw new RangeError(`no Native form for ${type}`);
  }
}

function each(
  from: Cursor,
  rows: number,
  width: number,
  read: (bytes: Buffer, at: number) => unknown,
): unknown[] {
  const values: unknown[] = [];
  for (let i = 0; i < rows; i += 1) values.push(read(from.bytes, from.at + i * width));
  from.at += rows * width;
  return values;
}

/** A number where it is exact, else a bigint. */
function readInt64(bytes: Buffer, at: number): number | bigint {
  const value = bytes.readInt32LE(at + 4) * 4_294_967_296 + bytes.readUInt32LE(at);
  return Number.isSafeInteger(value) ? value : bytes.readBigInt64LE(at);
}

function nullable(values: Reader): Reader {
  return (from, rows) => {
    const mask = from.bytes.subarray(from.at, from.at + rows);
    from.at += rows;
    return values(from, rows).map((value, i) => (mask[i] === 1 ? null : value));
  };
}

function list(values: Reader): Reader {
  return (from, rows) => {
    const ends = each(from, rows, 8, (bytes, at) => Number(bytes.readBigUInt64LE(at))) as number[];
    const total = ends.at(-1) ?? 0;
    const all = total === 0 ? [] : values(from, total);
    return ends.map((end, i) => (end === 0 ? [] : all.slice(ends[i - 1] ?? 0, end)));
  };
}

const dictionary: Reader = (from, rows) => {
  const flags = Number(from.bytes.readBigUInt64LE(from.at));
  const count = Number(from.bytes.readBigUInt64LE(from.at + 8));
  from.at += 16;
  const keys = Array.from({ length: count }, () => text(from));
  from.at += 8;
  const width = 1 << (flags & 0xff);
  return each(from, rows, width, (bytes, at) => keys[bytes.readUIntLE(at, width)]);
};

function length(from: Cursor): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = from.bytes[from.at] ?? 0;
    from.at += 1;
    value += (byte & 127) * scale;
    if (byte < 128) return value;
    scale *= 128;
  }
}

function text(from: Cursor): string {
  const size = length(from);
  const start = from.at;
  from.at += size;
  return from.bytes.toString("utf8", start, from.at);
}
