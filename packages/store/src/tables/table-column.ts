/**
 * @module TableColumn: a column of the tables `events`, `turns` and `calls`, in which evidence
 * leaves the store: as a file of an export, or by SQL on a view of that name. A minor
 * version may add columns to a table; only a major version removes or renames one.
 */

/** How a column's values are written; a value that is not recorded is null in every type. */
export type ColumnType =
  /** Text. */
  | "text"
  /** A whole number of 64 bits. */
  | "integer"
  /** A number of 64 bits in floating point. */
  | "number"
  /** True or false. */
  | "flag"
  /** Microseconds since the epoch, UTC. */
  | "time"
  /** A list of texts. */
  | "texts"
  /** A JSON document as text. */
  | "json";

/** A value of a column, of the column's type. */
export type ColumnValue = string | number | boolean | readonly string[] | null;

/** One column of rows of one kind. */
export interface TableColumn<Row> {
  readonly name: string;
  readonly type: ColumnType;
  /** One sentence for documents and for comments in a database. */
  readonly brief: string;
  readonly value: (row: Row) => ColumnValue;
}
