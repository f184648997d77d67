/** @module Formats: the formats of an export, and the media type of each. */
import type { FileRows } from "./column-data.ts";
import { csvOf, jsonLinesOf } from "./text-formats.ts";

/** Writes a file, piece by piece. */
type TableWriter = (part: FileRows) => AsyncGenerator<Uint8Array<ArrayBuffer>>;

/** A format. */
export interface TableFormat {
  readonly mediaType: string;
  /** Its writer, whose library is loaded with the first export. */
  readonly writer: () => Promise<TableWriter>;
}

/** Every format by its name, which ends the names of files. */
export const tableFormats = {
  parquet: {
    mediaType: "application/vnd.apache.parquet",
    writer: async () => (await import("./parquet.ts")).parquetOf,
  },
  arrow: {
    mediaType: "application/vnd.apache.arrow.file",
    writer: async () => (await import("./arrow.ts")).arrowOf,
  },
  csv: { mediaType: "text/csv; charset=utf-8; header=present", writer: async () => csvOf },
  jsonl: { mediaType: "application/jsonl", writer: async () => jsonLinesOf },
} as const satisfies Readonly<Record<string, TableFormat>>;
/** Their media types without parameters, the one of the default first. */
export const tableMediaTypes: readonly string[] = Object.values(tableFormats).map(
  ({ mediaType }) => mediaType.split(";")[0] ?? mediaType,
);
/** Name of a format. */
export type TableFormatName = keyof typeof tableFormats;
/** The names. */
export const tableFormatNames = Object.keys(tableFormats) as [
  TableFormatName,
  ...TableFormatName[],
];
