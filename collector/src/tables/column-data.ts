/** @module ColumnData: rows turned into columns, once for every format. */
import type { ColumnType, ColumnValue, TableColumn } from "@turnproof/store";

/** A column of one part of an export. */
export interface ColumnData {
  readonly name: string;
  readonly type: ColumnType;
  readonly values: readonly ColumnValue[];
}

/** What a file needs of a column. */
export type WrittenColumn<Row> = Pick<TableColumn<Row>, "name" | "type" | "value">;

/** The values of these rows, column by column. */
export function columnData<Row>(
  columns: readonly WrittenColumn<Row>[],
  rows: readonly Row[],
): readonly ColumnData[] {
  return columns.map(({ name, type, value }) => ({ name, type, values: rows.map(value) }));
}
