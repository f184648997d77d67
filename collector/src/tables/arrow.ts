/** @module Arrow: a part of an export as an Arrow IPC file. */
import { setImmediate as nextTurn } from "node:timers/promises";

import {
  bool,
  columnFromArray,
  field,
  float64,
  int64,
  list,
  tableFromColumns,
  tableToIPC,
  timestamp,
  TimeUnit,
  utf8,
} from "@uwdata/flechette";
import type { DataType } from "@uwdata/flechette";
import type { ColumnType, ColumnValue } from "@turnproof/store";

import type { FileRows } from "./column-data.ts";

const types: Readonly<Record<ColumnType, () => DataType>> = {
  text: () => utf8(),
  json: () => utf8(),
  integer: () => int64(),
  number: () => float64(),
  flag: () => bool(),
  time: () => timestamp(TimeUnit.MICROSECOND, "UTC"),
  texts: () => list(field("element", utf8())),
};

/** The file, in one piece. */
export async function* arrowOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const values: (ColumnValue | null)[][] = part.columns.map(() => []);
  for (const block of part.blocks()) {
    for (const [at, { type, values: more }] of block.entries()) {
      const column = values[at] ?? [];
      for (const value of more) column.push(type === "time" ? milliseconds(value) : value);
    }
    await nextTurn();
  }
  const built = part.columns.map(({ name, type }, at) => {
    return [name, columnFromArray(values[at] ?? [], types[type]())] as [
      string,
      ReturnType<typeof columnFromArray>,
    ];
  });
  await nextTurn();
  const bytes = tableToIPC(tableFromColumns(built), { format: "file" });
  if (bytes === null) throw new TypeError("the encoder returned no bytes");
  yield bytes as Uint8Array<ArrayBuffer>;
}

/**
 * The encoder takes milliseconds and multiplies by a thousand. Where that is not exact again, which
 * happens beyond the year 2100 only, the microseconds are cut.
 */
function milliseconds(value: ColumnValue): number | null {
  if (typeof value !== "number") return null;
  const ms = value / 1_000;
  return ms * 1_000 === value ? ms : Math.floor(ms);
}
