/**
 * What a Parquet file costs: columns without a value and documents. Readers are in `test/suite`.
 */
import zlib from "node:zlib";

import { expect, test, vi } from "vitest";

import { tablePart } from "./column-data.ts";
import { parquetOf } from "./parquet.ts";

test("only columns with a value are compressed, and documents have no dictionary", async () => {
  const compress = vi.spyOn(zlib, "zstdCompressSync");
  const rows = Array.from({ length: 100 }, (_, row) => `{"row":${row % 2},"text":"Grüße 🙂"}`);
  const columns = ["document", ...Array.from({ length: 20 }, (_, at) => `empty ${at}`)];
  const part = tablePart(
    columns.map((name) => ({
      name,
      type: "json" as const,
      value: (row: string) => (name === "document" ? row : null),
    })),
    rows,
  );
  for await (const file of parquetOf(part)) expect(file.length).toBeGreaterThan(0);
  const pages = compress.mock.calls.map(([bytes]) => Buffer.from(bytes as Uint8Array));
  // Length and text of each row: the plain encoding.
  const plain = rows.map((row) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(row));
    return Buffer.concat([length, Buffer.from(row)]);
  });
  expect(pages).toEqual([Buffer.concat(plain)]);
  compress.mockRestore();
});
