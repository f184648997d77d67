/**
 * @module TextFormats: a part of an export as CSV (RFC 4180) or as one JSON object per line. Times
 * are ISO 8601, lists and documents JSON; in CSV a value that is not recorded is empty, and an
 * empty text is quoted.
 */
import type { ColumnType, ColumnValue } from "@turnproof/store";

import { isEmpty } from "./column-data.ts";
import type { ColumnData, FileRows } from "./column-data.ts";
import { LineBytes, pieceBytes } from "./line-bytes.ts";

const [comma, newline] = [0x2c, 0x0a];

/** The CSV file, its first line the names of the columns. */
export async function* csvOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const lines = new LineBytes();
  lines.text(`${headOf(part.columns)}\r\n`);
  yield lines.take();
  const forms = { head: false, forSheets: false };
  for (const block of part.blocks()) yield* csvLines(block, forms, lines);
}

/** The file of JSON lines. */
export async function* jsonLinesOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const lines = new LineBytes();
  for (const block of part.blocks()) yield* linesOf(block, lines);
}

/**
 * Lines of CSV, each ended, in pieces of whole lines.
 *
 * @param of `head`: names of the columns first. `forSheets`: a text that a spreadsheet would
 * compute has an apostrophe before it.
 * @param lines the buffer in which they are written, empty; one serves many blocks
 */
export function* csvLines(
  columns: readonly ColumnData[],
  { head, forSheets }: { readonly head: boolean; readonly forSheets: boolean },
  lines = new LineBytes(),
): Generator<Uint8Array<ArrayBuffer>> {
  const rows = columns[0]?.values.length ?? 0;
  if (head) lines.text(`${headOf(columns)}\r\n`);
  const held = columns.flatMap((column, at) => (isEmpty(column.values) ? [] : [{ ...column, at }]));
  for (let row = 0; row < rows; row += 1) {
    let commas = 0;
    for (const { at, type, values } of held) {
      const value = values[row] ?? null;
      // Most columns are of other kinds of rows.
      if (value === null) continue;
      lines.signs(comma, at - commas);
      commas = at;
      if (typeof value === "string") lines.cell(forSheets ? unformulated(value) : value);
      else if (typeof value === "object") lines.cell(JSON.stringify(value));
      else if (type === "time" && typeof value === "number") lines.time(value);
      else lines.text(String(value));
    }
    lines.signs(comma, columns.length - 1 - commas);
    lines.text("\r\n");
    if (lines.length >= pieceBytes) yield lines.take();
  }
  if (lines.length > 0) yield lines.take();
}

function headOf(columns: FileRows["columns"]): string {
  return columns.map(({ name }) => name).join(",");
}

/** Signs at the start of a formula, also in their wide forms, and what a spreadsheet skips. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function unformulated(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/**
 * Lines of JSON, each ended, in pieces of whole lines.
 *
 * @param lines the buffer in which they are written, empty; one serves many blocks
 */
export function* linesOf(
  columns: readonly ColumnData[],
  lines = new LineBytes(),
): Generator<Uint8Array<ArrayBuffer>> {
  const rows = columns[0]?.values.length ?? 0;
  const empty = emptyLine(columns.map(({ name }) => name));
  const held = columns.flatMap((column, at) => (isEmpty(column.values) ? [] : [{ ...column, at }]));
  for (let row = 0; row < rows; row += 1) {
    let from = 0;
    for (const { at, type, values } of held) {
      const value = values[row] ?? null;
      if (value === null) continue;
      lines.bytes(empty.upTo(from, at));
      jsonValue(lines, type, value);
      from = at + 1;
    }
    lines.bytes(empty.upTo(from, columns.length));
    lines.sign(newline);
    if (lines.length >= pieceBytes) yield lines.take();
  }
  if (lines.length > 0) yield lines.take();
}

/** The line in which every value is null. */
interface EmptyLine {
  /** From a column's beginning up to the value of another one, or to the end of the line. */
  upTo(from: number, to: number): Uint8Array;
}

/** Most columns of a row are without a value: the nulls between two values are one copy. */
function emptyLine(names: readonly string[]): EmptyLine {
  const starts: number[] = [];
  const values: number[] = [];
  let text = "{";
  for (const [at, name] of names.entries()) {
    starts.push(Buffer.byteLength(text));
    text += `${at === 0 ? "" : ","}${JSON.stringify(name)}:`;
    values.push(Buffer.byteLength(text));
    text += "null";
  }
  starts.push(Buffer.byteLength(text));
  const bytes = new TextEncoder().encode(`${text}}`);
  const parts = new Map<number, Uint8Array>();
  return {
    upTo(from, to) {
      const key = from * (names.length + 1) + to;
      let part = parts.get(key);
      if (part === undefined) {
        part = bytes.subarray(from === 0 ? 0 : starts[from], values[to] ?? bytes.length);
        parts.set(key, part);
      }
      return part;
    },
  };
}

function jsonValue(lines: LineBytes, type: ColumnType, value: NonNullable<ColumnValue>): void {
  if (typeof value === "string") {
    if (type === "json") lines.text(value);
    else lines.jsonString(value);
  } else if (type === "time" && typeof value === "number") {
    lines.sign(0x22);
    lines.time(value);
    lines.sign(0x22);
  } else lines.text(JSON.stringify(value));
}
