/** @module Arrow: a part of an export as an Arrow IPC file. */
import { setImmediate as nextTurn } from "node:timers/promises";

import {
  batchType,
  bool,
  Column,
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

import { ArrowTexts } from "./arrow-texts.ts";
import type { FileRows } from "./column-data.ts";
import { LineBytes, pieceBytes } from "./line-bytes.ts";

const types: Readonly<Record<ColumnType, () => DataType>> = {
  text: () => utf8(),
  json: () => utf8(),
  integer: () => int64(),
  number: () => float64(),
  flag: () => bool(),
  time: () => timestamp(TimeUnit.MICROSECOND, "UTC"),
  texts: () => list(field("element", utf8())),
};

/** A column while its values are added, block by block. */
interface GrowingColumn {
  add(values: readonly ColumnValue[]): void;
  column(): Column<unknown>;
}

/** The file, in pieces; the encoder's own buffer of a whole file is not made. */
export async function* arrowOf(part: FileRows): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const growing = part.columns.map(({ type }) => growingColumn(type, part.rows));
  for (const block of part.blocks()) {
    for (const [at, { values }] of block.entries()) growing[at]?.add(values);
    await nextTurn();
  }
  const built = part.columns.map(({ name }, at) => {
    return [name, growing[at]?.column()] as [string, Column<unknown>];
  });
  await nextTurn();
  const sink = new Pieces();
  tableToIPC(tableFromColumns(built), { format: "file", sink });
  yield* sink.pieces();
}

/** Most bytes that are added to a piece at once. */
const stepBytes = 16 * 1_024;

/** What the encoder writes: the buffers of the columns, and small ones between them. */
class Pieces {
  readonly #written: Uint8Array[] = [];

  write(bytes: Uint8Array): void {
    this.#written.push(bytes);
  }

  pad(bytes: number): void {
    this.write(new Uint8Array(bytes));
  }

  /** The encoder returns this; nothing is in memory as a whole. */
  finish(): null {
    return null;
  }

  *pieces(): Generator<Uint8Array<ArrayBuffer>> {
    const piece = new LineBytes();
    for (const bytes of this.#written) {
      for (let from = 0; from < bytes.length; from += stepBytes) {
        piece.bytes(bytes.subarray(from, from + stepBytes));
        if (piece.length >= pieceBytes) yield piece.take();
      }
    }
    yield piece.take();
  }
}

function growingColumn(type: ColumnType, rows: number): GrowingColumn {
  if ((type === "text" || type === "json") && rows > 0) return new ArrowTexts(rows);
  const held: (ColumnValue | null)[] = [];
  return {
    add(values) {
      for (const value of values) held.push(type === "time" ? milliseconds(value) : value);
    },
    column: () =>
      rows === 0 ? new Column([emptyBatch(types[type]())]) : columnFromArray(held, types[type]()),
  };
}

type Batch = Column<unknown>["data"][number];

/** A batch without rows: the encoder makes none of an empty column, and some readers need one. */
function emptyBatch(type: DataType): Batch {
  const OwnBatch = batchType(type) as new (of: object) => Batch;
  // Texts and flags are bytes, lists have none of their own.
  const { values: Values = Uint8Array, children } = type as {
    readonly values?: new (length: number) => ArrayBufferView;
    readonly children?: readonly { readonly type: DataType }[] | null;
  };
  return new OwnBatch({
    type,
    length: 0,
    nullCount: 0,
    validity: new Uint8Array(0),
    // One offset, padded.
    offsets: new Int32Array(2),
    values: new Values(0),
    children: (children ?? []).map((child) => emptyBatch(child.type)),
  });
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
