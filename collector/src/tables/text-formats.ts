/**
 * @module TextFormats: a part of an export as CSV (RFC 4180) or as one JSON object per line. Times
 * are ISO 8601, lists and documents JSON; in CSV a value that is not recorded is empty, and an
 * empty text is quoted.
 */
import { isoOfMicros } from "@turnproof/store";
import type { ColumnType, ColumnValue } from "@turnproof/store";

import type { ColumnData } from "./column-data.ts";

const encoder = new TextEncoder();

/** The CSV file, its first line the names of the columns. */
export function csvOf(columns: readonly ColumnData[]): Uint8Array<ArrayBuffer> {
  const rows = columns[0]?.values.length ?? 0;
  const lines = [columns.map(({ name }) => name).join(",")];
  for (let row = 0; row < rows; row += 1) {
    lines.push(columns.map(({ type, values }) => cell(type, values[row] ?? null)).join(","));
  }
  return encoder.encode(`${lines.join("\r\n")}\r\n`);
}

/** The lines. */
export function linesOf(columns: readonly ColumnData[]): Uint8Array<ArrayBuffer> {
  const rows = columns[0]?.values.length ?? 0;
  const heads = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const lines: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const said = columns.map(
      ({ type, values }, at) => `${heads[at] ?? ""}${jsonText(type, values[row] ?? null)}`,
    );
    lines.push(`{${said.join(",")}}\n`);
  }
  return encoder.encode(lines.join(""));
}

function cell(type: ColumnType, value: ColumnValue): string {
  if (value === null) return "";
  if (type === "time" && typeof value === "number") return isoOfMicros(value);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function jsonText(type: ColumnType, value: ColumnValue): string {
  if (type === "json" && typeof value === "string") return value;
  return JSON.stringify(type === "time" && typeof value === "number" ? isoOfMicros(value) : value);
}
