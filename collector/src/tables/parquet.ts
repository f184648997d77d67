/**
 * @module Parquet: a part of an export as a Parquet file: row groups of some thousand rows,
 * compressed with Zstandard, every column optional. Statistics of columns are left out: they cost
 * more than all else and serve readers that skip row groups, of which a part has four.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
// The whole module: an older Node, on which pipelines run, has no Zstandard, and they write no
// file.
import zlib from "node:zlib";

import type { ColumnType, ColumnValue } from "@turnproof/store";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ColumnSource, SchemaElement } from "hyparquet-writer";

import { isEmpty } from "./column-data.ts";
import type { ColumnData, FileRows } from "./column-data.ts";

/**
 * Types of columns. A document is text there: marked as JSON, the writer would parse it and write
 * it again.
 */
const elements: Readonly<Record<Exclude<ColumnType, "texts">, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  flag: { type: "BOOLEAN" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
};

/** The fastest level. */
const zstdOptions = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

/** The file, in one piece; each block is a row group. */
export async function* parquetOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { columns } = part;
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [{ name: "row", num_children: columns.length }, ...columns.flatMap(schemaOf)],
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => zlib.zstdCompressSync(bytes, zstdOptions) },
    statistics: false,
    createdBy: "turnproof",
  });
  for (const block of part.blocks()) {
    const columnData = block.map(columnOf);
    void file.write({ columnData, rowGroupSize: block[0]?.values.length ?? 0 });
    await nextTurn();
  }
  void file.finish();
  yield new Uint8Array(writer.getBuffer());
}

/** A column as the writer takes it; the writer changes no data. */
function columnOf({ name, type, values }: ColumnData): ColumnSource {
  const column = { name, offsetIndex: false };
  // Most columns are of other kinds of rows: a compressor for each costs more than its page.
  if (isEmpty(values)) return { ...column, data: values as ColumnValue[], codec: "UNCOMPRESSED" };
  if (type === "integer" || type === "time") return { ...column, data: values.map(whole) };
  // Documents differ from row to row, so that a dictionary of them is built in vain.
  if (type === "json") return { ...column, data: encoded(values), encoding: "PLAIN" };
  return { ...column, data: values as ColumnValue[] };
}

/** Texts in UTF-8, all in one buffer, which costs less than one for each. */
function encoded(values: readonly ColumnValue[]): (Uint8Array | null)[] {
  let room = 0;
  for (const value of values) if (typeof value === "string") room += value.length * 3;
  const bytes = Buffer.allocUnsafeSlow(room);
  let at = 0;
  return values.map((value) => {
    if (typeof value !== "string") return null;
    const from = at;
    at += bytes.write(value, at, "utf8");
    return bytes.subarray(from, at);
  });
}

function schemaOf({ name, type }: FileRows["columns"][number]): readonly SchemaElement[] {
  if (type !== "texts") return [{ name, ...elements[type], repetition_type: "OPTIONAL" }];
  return [
    { name, converted_type: "LIST", num_children: 1, repetition_type: "OPTIONAL" },
    { name: "list", num_children: 1, repetition_type: "REPEATED" },
    { name: "element", ...elements.text, repetition_type: "OPTIONAL" },
  ];
}

/** The writer takes 64 bits as a BigInt. */
function whole(value: ColumnValue): bigint | null {
  return typeof value === "number" ? BigInt(Math.trunc(value)) : null;
}
