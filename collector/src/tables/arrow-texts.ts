/**
 * @module ArrowTexts: a column of texts in Arrow's own form: bytes, where each text ends in them,
 * and a bit for each row that has one. The library's builder makes an array for every value; most
 * columns of an export are texts.
 */
import { batchType, Column, utf8 } from "@uwdata/flechette";
import type { ColumnValue } from "@turnproof/store";

import { LineBytes } from "./line-bytes.ts";

/** The length of a buffer of Arrow is a multiple of this number of bytes. */
const alignedBytes = 8;
const bitsOfByte = 8;

/** Texts of a column, added in their order. */
export class ArrowTexts {
  readonly #bytes = new LineBytes();
  readonly #ends: Int32Array;
  readonly #valid: Uint8Array;
  readonly #rows: number;
  #row = 0;
  #nulls = 0;

  /** @param rows how many values are added */
  constructor(rows: number) {
    this.#rows = rows;
    this.#ends = new Int32Array(aligned(rows + 1, Int32Array.BYTES_PER_ELEMENT));
    this.#valid = new Uint8Array(aligned(Math.ceil(rows / bitsOfByte), 1));
  }

  add(values: readonly ColumnValue[]): void {
    const { length } = this.#bytes;
    // The rest has texts as long as those so far, and a tenth more.
    if (this.#row > 0) this.#bytes.expect((length / this.#row) * (this.#rows - this.#row) * 1.1);
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at];
      const row = this.#row;
      if (typeof value === "string") {
        this.#bytes.text(value);
        this.#valid[row >> 3] = (this.#valid[row >> 3] as number) | (1 << (row & 7));
      } else this.#nulls += 1;
      this.#row = row + 1;
      this.#ends[row + 1] = this.#bytes.length;
    }
  }

  /** The column. */
  column(): Column<string> {
    const type = utf8();
    this.#bytes.signs(0, aligned(this.#bytes.length + 1, 1) - this.#bytes.length);
    const Batch = batchType(type) as new (of: object) => Column<string>["data"][number];
    const batch = new Batch({
      length: this.#row,
      nullCount: this.#nulls,
      type,
      validity: this.#nulls === 0 ? new Uint8Array(0) : this.#valid,
      offsets: this.#ends,
      values: this.#bytes.done(),
    });
    return new Column([batch], type);
  }
}

/** Number of values, each of `bytes` bytes, that fill the smallest aligned buffer for these. */
function aligned(values: number, bytes: number): number {
  return (Math.ceil((values * bytes) / alignedBytes) * alignedBytes) / bytes;
}
