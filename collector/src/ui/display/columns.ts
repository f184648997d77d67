/**
 * @module Columns: encodes a long list of similar records as one list for each field. A field's
 * name is written once instead of once per record, and so is a value that many records share: ten
 * thousand spans take a tenth of the bytes. A field that a record lacks stays absent, which
 * differs from null.
 */

/** One field over all records. */
export type Column =
  /** All records have the same value. */
  | { readonly same: unknown }
  /** One value for each record. */
  | { readonly each: readonly unknown[] }
  /** Distinct values, and the index of each record's: -1 where it lacks the field. */
  | { readonly of: readonly unknown[]; readonly at: readonly number[] }
  /** A nested record in every record. */
  | { readonly record: Columns };

/** Records by their fields. */
export interface Columns {
  readonly count: number;
  readonly fields: { readonly [field: string]: Column };
}

type AnyRecord = Readonly<Record<string, unknown>>;

/** Encodes records as columns. Values are unchanged; the order of fields is not kept. */
export function toColumns(records: readonly object[]): Columns {
  const count = records.length;
  const lists = new Map<string, unknown[]>();
  for (let at = 0; at < count; at += 1) {
    const record = records[at] as AnyRecord;
    for (const field in record) {
      const value = record[field];
      if (value === undefined) continue;
      let list = lists.get(field);
      if (list === undefined) lists.set(field, (list = Array<unknown>(count).fill(undefined)));
      list[at] = value;
    }
  }
  return {
    count,
    fields: Object.fromEntries([...lists].map(([field, values]) => [field, columnOf(values)])),
  };
}

function columnOf(values: readonly unknown[]): Column {
  const [first] = values;
  if (values.every((value) => value === first)) return { same: first };
  if (values.every(isRecord)) return { record: toColumns(values) };
  return values.includes(undefined) ? shared(values, values.length) : repeated(values);
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Numbers are as short as their index in a list; texts with few distinct values are worth one. */
function repeated(values: readonly unknown[]): Column {
  if (values.some((value) => typeof value === "number")) return { each: values };
  const column = shared(values, values.length >> 1);
  return column.of.length > values.length >> 1 ? { each: values } : column;
}

/** Distinct values in order of occurrence; gives up beyond a bound. */
function shared(
  values: readonly unknown[],
  distinctMax: number,
): { readonly of: readonly unknown[]; readonly at: readonly number[] } {
  const places = new Map<unknown, number>();
  const at: number[] = [];
  for (const value of values) {
    let place = value === undefined ? -1 : places.get(value);
    if (place === undefined) places.set(value, (place = places.size));
    if (places.size > distinctMax) break;
    at.push(place);
  }
  return { of: [...places.keys()], at };
}

/** Reads one field: its value in each record, undefined where the record lacks it. */
export function readField({ fields }: Columns, field: string): (index: number) => unknown {
  const column = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return column === undefined ? () => undefined : readColumn(column);
}

/** Reads records one by one; each call makes a new one. */
export function readRecords<R>({ fields }: Columns): (index: number) => R {
  const readers = Object.entries(fields).map(
    ([field, column]) => [field, readColumn(column)] as const,
  );
  return (index) => {
    const record: Record<string, unknown> = {};
    for (const [field, read] of readers) {
      const value = read(index);
      if (value !== undefined) record[field] = value;
    }
    return record as R;
  };
}

/** All records. */
export function fromColumns<R>(columns: Columns): R[] {
  const read = readRecords<R>(columns);
  return Array.from({ length: columns.count }, (_, index) => read(index));
}

function readColumn(column: Column): (index: number) => unknown {
  if ("same" in column) return () => column.same;
  if ("each" in column) return (index) => column.each[index];
  if ("record" in column) return readRecords(column.record);
  return (index) => column.of[column.at[index] ?? -1];
}
