/**
 * @module NativeWriter: blocks of ClickHouse's Native format: columns with their names and types,
 * one after the other. The engine accepts such a block without parsing rows, and a column without
 * any value is not in it.
 */
import { NativeBuffer } from "./native-buffer.ts";
import { sinkOf } from "./native-sink.ts";
import type { NativeSink, NativeValue } from "./native-sink.ts";

/** A block for an engine; plain data, so that one thread may build and another send it. */
export interface EncodedBlock {
  readonly rows: number;
  /** Columns with a value in some row, and their types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly bytes: Uint8Array;
  /** Events of each root, in a block of bundles. */
  readonly roots?: readonly RootEvents[];
}

/** Events of a root in some rows. */
export type RootEvents = readonly [root: string, events: number];

/** One column of a block; a row without a value has the type's default. */
export class NativeColumn {
  readonly type: string;
  private readonly sink: NativeSink;
  private filled = 0;

  constructor(type: string) {
    this.type = type;
    this.sink = sinkOf(type);
  }

  /** Sets the value of a row; rows ascend. */
  put(row: number, value: NativeValue): void {
    if (this.filled < row) this.sink.pad(row - this.filled);
    this.sink.push(value);
    this.filled = row + 1;
  }

  /** Ends the column with this number of rows; returns its bytes, at most. */
  close(rows: number): number {
    if (this.filled < rows) this.sink.pad(rows - this.filled);
    this.filled = rows;
    return this.sink.size;
  }

  /** Writes a closed column, and gives up its memory. */
  write(out: NativeBuffer): void {
    this.sink.prefix(out);
    this.sink.body(out);
    this.sink.end();
  }
}

/** A block under construction: values by column and row; rows may leave any column out. */
export class NativeBlock {
  private readonly held = new Map<string, NativeColumn>();
  rows = 0;

  /** The column of this name, created on first use. */
  column(name: string, type: string): NativeColumn {
    let column = this.held.get(name);
    if (column === undefined) {
      column = new NativeColumn(type);
      this.held.set(name, column);
    }
    return column;
  }

  /** Sets the value of a column in the current row. */
  set(name: string, type: string, value: NativeValue): void {
    this.column(name, type).put(this.rows, value);
  }

  /** Ends the current row. */
  endRow(): void {
    this.rows += 1;
  }

  /** Ends the block: its bytes, in memory of their own, which may be transferred. */
  encode(): EncodedBlock {
    let bytes = headBytesMax;
    for (const [name, column] of this.held) {
      bytes += column.close(this.rows) + 3 * (name.length + column.type.length) + headBytesMax;
    }
    const out = new NativeBuffer(bytes, { alone: true });
    out.length(this.held.size);
    out.length(this.rows);
    const columns: { name: string; type: string }[] = [];
    for (const [name, column] of this.held) {
      columns.push({ name, type: column.type });
      out.text(name);
      out.text(column.type);
      if (this.rows > 0) column.write(out);
    }
    this.held.clear();
    return { rows: this.rows, columns, bytes: out.view() };
  }
}

/** Bytes of two lengths. */
const headBytesMax = 10;
