/** An Arrow file has the bytes that the library's own builder gives, column by column. */
import {
  columnFromArray,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
  utf8,
} from "@uwdata/flechette";
import { expect, test } from "vitest";

import { arrowOf } from "./arrow.ts";
import { tablePart } from "./column-data.ts";

type Row = Readonly<Record<string, string | null>>;

const texts = ["", "plain", "ümlaut", "✓ and 😀", 'a "quote"', "line\nbreak", "x".repeat(300)];

/** Rows of three columns: texts with gaps, texts without, and none. */
function rowsOf(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, at) => ({
    some: at % 3 === 1 ? null : (texts[at % texts.length] ?? null),
    every: texts[(at * 5) % texts.length] ?? "",
    none: null,
  }));
}

const names = ["some", "every", "none"] as const;

async function bytesOf(rows: readonly Row[]): Promise<Uint8Array> {
  const columns = names.map((name) => {
    return { name, type: "text" as const, value: (row: Row) => row[name] ?? null };
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of arrowOf(tablePart(columns, rows))) pieces.push(piece);
  return Buffer.concat(pieces);
}

function built(rows: readonly Row[]): Uint8Array {
  const columns = names.map((name) => {
    const values = rows.map((row) => row[name] ?? null);
    return [name, columnFromArray(values, utf8())] as [string, ReturnType<typeof columnFromArray>];
  });
  return Buffer.from(tableToIPC(tableFromColumns(columns), { format: "file" }) ?? []);
}

// Around whole bytes of the bits of rows, and more than one block.
test.each([1, 7, 8, 9, 63, 64, 65, 5_001])("texts of %i rows", async (count) => {
  const rows = rowsOf(count);
  expect(Buffer.compare(await bytesOf(rows), built(rows))).toBe(0);
});

test("a file without rows has one batch of every type, because some readers refuse none", async () => {
  const types = ["text", "json", "integer", "number", "flag", "time", "texts"] as const;
  const columns = types.map((type) => ({ name: type, type, value: () => null }));
  const pieces: Uint8Array[] = [];
  for await (const piece of arrowOf(tablePart(columns, []))) pieces.push(piece);
  const read = tableFromIPC(Buffer.concat(pieces));
  expect(read.names).toEqual([...types]);
  expect(read.numRows).toBe(0);
  expect(types.map((name) => read.getChild(name).data.length)).toEqual(types.map(() => 1));
});
