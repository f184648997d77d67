/**
 * @module TextFormats: a part of an export as CSV (RFC 4180) or as one JSON object per line. Times
 * are ISO 8601, lists and documents JSON; in CSV a value that is not recorded is empty, and an
 * empty text is quoted.
 */
import { isoOfMicros } from "@turnproof/store";
import type { ColumnType, ColumnValue } from "@turnproof/store";

import type { ColumnData, FileRows } from "./column-data.ts";

const encoder = new TextEncoder();

/** The CSV file, its first line the names of the columns. */
export async function* csvOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(`${headOf(part.columns)}\r\n`);
  for (const block of part.blocks()) yield csvLines(block, { head: false, forSheets: false });
}

/** The file of JSON lines. */
export async function* jsonLinesOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const block of part.blocks()) yield linesOf(block);
}

/**
 * Lines of CSV, each ended.
 *
 * @param of `head`: names of the columns first. `forSheets`: a text that a spreadsheet would compute
 * has an apostrophe before it.
 */
export function csvLines(
  columns: readonly ColumnData[],
  { head, forSheets }: { readonly head: boolean; readonly forSheets: boolean },
): Uint8Array<ArrayBuffer> {
  const rows = columns[0]?.values.length ?? 0;
  let text = head ? `${headOf(columns)}\r\n` : "";
  for (let row = 0; row < rows; row += 1) {
    for (let at = 0; at < columns.length; at += 1) {
      if (at > 0) text += ",";
      const value = columns[at]?.values[row] ?? null;
      // Most columns are of other kinds of rows.
      if (value === null) continue;
      const type = columns[at]?.type ?? "text";
      text += cell(type, forSheets && typeof value === "string" ? unformulated(value) : value);
    }
    text += "\r\n";
  }
  return encoder.encode(text);
}

function headOf(columns: FileRows["columns"]): string {
  return columns.map(({ name }) => name).join(",");
}

/** Signs at the start of a formula, also in their wide forms, and what a spreadsheet skips. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function unformulated(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** Lines of JSON, each ended. */
export function linesOf(columns: readonly ColumnData[]): Uint8Array<ArrayBuffer> {
  const rows = columns[0]?.values.length ?? 0;
  const heads = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const lines: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const texts = columns.map(
      ({ type, values }, at) => `${heads[at] ?? ""}${jsonText(type, values[row] ?? null)}`,
    );
    lines.push(`{${texts.join(",")}}\n`);
  }
  return encoder.encode(lines.join(""));
}

function cell(type: ColumnType, value: NonNullable<ColumnValue>): string {
  if (type === "time" && typeof value === "number") return isoOfMicros(value);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function jsonText(type: ColumnType, value: ColumnValue): string {
  if (type === "json" && typeof value === "string") return value;
  return JSON.stringify(type === "time" && typeof value === "number" ? isoOfMicros(value) : value);
}
