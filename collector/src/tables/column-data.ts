/**
 * @module ColumnData: rows turned into columns, once for every format, some thousand rows at a
 * time, so that a file is written in slices and other requests are answered between them.
 */
import type { ColumnType, ColumnValue, TableColumn } from "@turnproof/store";

/** A column's values in one block of rows. */
export interface ColumnData {
  readonly name: string;
  readonly type: ColumnType;
  readonly values: readonly ColumnValue[];
}

/** What a file needs of a column. */
export type WrittenColumn<Row> = Pick<TableColumn<Row>, "name" | "type" | "value">;

/** A part of an export. */
export interface FileRows {
  readonly columns: readonly Pick<ColumnData, "name" | "type">[];
  readonly rows: number;
  /** Its rows, block by block; a block has a value of every column for each of its rows. */
  readonly blocks: () => Iterable<readonly ColumnData[]>;
}

/** Rows of a block: some 60 ms of work. */
const blockRows = 5_000;

/** The values of some rows, column by column. */
export type ValuesOf<Row> = (rows: readonly Row[]) => readonly (readonly ColumnValue[])[];

/**
 * A part with these rows.
 *
 * @param valuesOf the values of all columns at once, where that is faster than one by one
 */
export function tablePart<Row>(
  columns: readonly WrittenColumn<Row>[],
  rows: readonly Row[],
  valuesOf?: ValuesOf<Row>,
): FileRows {
  return {
    columns,
    rows: rows.length,
    *blocks() {
      for (let from = 0; from < rows.length; from += blockRows) {
        yield columnData(columns, rows.slice(from, from + blockRows), valuesOf);
      }
    },
  };
}

/** The values of these rows, column by column. */
export function columnData<Row>(
  columns: readonly WrittenColumn<Row>[],
  rows: readonly Row[],
  valuesOf: ValuesOf<Row> = (all) => columns.map(({ value }) => all.map(value)),
): readonly ColumnData[] {
  const values = valuesOf(rows);
  return columns.map(({ name, type }, at) => ({ name, type, values: values[at] ?? [] }));
}

/** True where no row of a column has a value. */
export function isEmpty(values: ColumnData["values"]): boolean {
  return values.every((value) => value === null);
}
