/** @module Formats: the formats of an export, and the media type of each. */
import { arrowOf } from "./arrow.ts";
import type { ColumnData } from "./column-data.ts";
import { parquetOf } from "./parquet.ts";
import { csvOf, linesOf } from "./text-formats.ts";

/** A format. */
export interface TableFormat {
  readonly mediaType: string;
  readonly write: (columns: readonly ColumnData[]) => Uint8Array<ArrayBuffer>;
}

/** Every format by its name, which ends the names of files. */
export const tableFormats = {
  parquet: { mediaType: "application/vnd.apache.parquet", write: parquetOf },
  arrow: { mediaType: "application/vnd.apache.arrow.file", write: arrowOf },
  csv: { mediaType: "text/csv; charset=utf-8; header=present", write: csvOf },
  jsonl: { mediaType: "application/jsonl", write: linesOf },
} as const satisfies Readonly<Record<string, TableFormat>>;
/** Name of a format. */
export type TableFormatName = keyof typeof tableFormats;
/** The names. */
export const tableFormatNames = Object.keys(tableFormats) as [
  TableFormatName,
  ...TableFormatName[],
];
