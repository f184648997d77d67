/**
 * @module Columns: encodes a long list of similar records as one list for each field. A field's
 * name is written once instead of once per record, and so is a value that many records share: ten
 * thousand spans take a tenth of the bytes. A field that a record lacks stays absent, which
 * differs from null.
 */

import { isRecord } from "@turnproof/semconv";

import { derivedBy, laterText, nanosBetween, readDerived } from "./derived-columns.ts";
import type { Derived, FieldReader, FieldReaders, Rule } from "./derived-columns.ts";
import { walkPlaces } from "./walk-places.ts";
import type { TreeWalk } from "./walk-places.ts";

/** One field over all records. */
export type Column =
  /** All records have the same value. */
  | { readonly same: unknown }
  /** One value for each record. */
  | { readonly each: readonly unknown[] }
  /**
   * Distinct values in order of occurrence, and the index of each record's. Records with the index
   * `lacks` lack the field: fields that are absent in the same records have the same indexes,
   * which travel once.
   */
  | { readonly of: readonly unknown[]; readonly at: readonly number[]; readonly lacks?: number }
  /**
   * Another field's value in the record of an index. Below zero: -1 where the record lacks the
   * field, and from -2 on the items of `or`.
   */
  | { readonly pick: string; readonly at: readonly number[]; readonly or: readonly unknown[] }
  /** Numbers; null where the record lacks the field. */
  | { readonly some: readonly (number | null)[] }
  /** Whole numbers that stand for numbers with decimals: each divided by `per` is the value. */
  | { readonly parts: readonly number[]; readonly per: number }
  /** Lowercase hexadecimal texts of one length, as base64 of their bytes. */
  | { readonly hex: number; readonly bytes: string }
  /** Times: the first, and nanoseconds from each to the next. */
  | { readonly first: string; readonly steps: readonly number[] }
  /** What follows from other fields. */
  | Derived
  /** A nested record in every record. */
  | { readonly record: Columns };

/** Records by their fields. */
export interface Columns {
  readonly count: number;
  readonly fields: { readonly [field: string]: Column };
  /**
   * Where the record of the second table stands, for fields that follow from it: the first, and
   * the difference from each to the next; or the walk of the second table that has this order.
   */
  readonly places?: readonly number[] | TreeWalk;
}

/** Forms that fields may take where they fit; the others are as short as they can be alone. */
export interface ColumnForms {
  readonly rules?: { readonly [field: string]: Rule };
  /** Fields of which each value is the other's in some record. */
  readonly picks?: { readonly [field: string]: string };
  /** Fields that are times in the order of the records. */
  readonly times?: readonly string[];
  /** The second table, and where each record has its place in it. */
  readonly beside?: Beside;
}

/** A second table, the place in it of each record, and the walk that may have this order. */
export interface Beside {
  readonly records: readonly object[];
  readonly places: readonly number[];
  readonly walk?: TreeWalk;
}

type AnyRecord = Readonly<Record<string, unknown>>;

/** Encodes records as columns. Values are unchanged; the order of fields is not kept. */
export function toColumns(records: readonly object[], forms: ColumnForms = {}): Columns {
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
  const readers: FieldReaders = {
    count,
    own: (field) => (index) => (records[index] as AnyRecord)[field],
    beside: (field) => (index) =>
      (forms.beside?.records[forms.beside.places[index] ?? -1] as AnyRecord | undefined)?.[field],
  };
  const column = (field: string, values: readonly unknown[]): Column =>
    columnIn(forms, field, { values, lists, readers }) ?? columnOf(values);
  return {
    count,
    fields: Object.fromEntries([...lists].map(([field, values]) => [field, column(field, values)])),
    ...(forms.beside === undefined ? {} : { places: placesOf(forms.beside) }),
  };
}

/** The walk where it has the order of the places, or else their differences. */
function placesOf({ records, places, walk }: Beside): readonly number[] | TreeWalk {
  if (walk !== undefined) {
    const walked = walkPlaces(
      walk,
      records.length,
      (field) => (place) => (records[place] as AnyRecord)[field],
    );
    const equal = walked.length === places.length;
    if (equal && walked.every((place, at) => place === places[at])) return walk;
  }
  return differences(places);
}

/** The column in the form that is provided for its field, where the values fit. */
function columnIn(
  { rules = {}, picks = {}, times = [] }: ColumnForms,
  field: string,
  {
    values,
    lists,
    readers,
  }: {
    readonly values: readonly unknown[];
    readonly lists: ReadonlyMap<string, readonly unknown[]>;
    readonly readers: FieldReaders;
  },
): Column | undefined {
  const rule = rules[field];
  const derived = rule === undefined ? undefined : derivedBy(rule, values, readers);
  if (derived !== undefined) return derived;
  const pick = picks[field];
  const source = pick === undefined ? undefined : lists.get(pick);
  if (pick !== undefined && source !== undefined) return picked(pick, source, values);
  return times.includes(field) ? stepped(values) : undefined;
}

function picked(pick: string, source: readonly unknown[], values: readonly unknown[]): Column {
  const places = new Map(source.map((value, index) => [value, index]));
  const or: unknown[] = [];
  const others = new Map<unknown, number>();
  const at = values.map((value) => {
    if (value === undefined) return -1;
    const place = places.get(value) ?? others.get(value);
    if (place !== undefined) return place;
    others.set(value, -2 - or.length);
    return -1 - or.push(value);
  });
  return { pick, at, or };
}

function stepped(values: readonly unknown[]): Column | undefined {
  const [first] = values;
  if (typeof first !== "string") return undefined;
  const steps: number[] = [];
  let last = first;
  for (const value of values.slice(1)) {
    const step = typeof value === "string" ? nanosBetween(last, value) : undefined;
    if (step === undefined || laterText(last, step) !== value) return undefined;
    steps.push(step);
    last = value as string;
  }
  return { first, steps };
}

function columnOf(given: readonly unknown[]): Column {
  const values = given.some(Array.isArray) ? withOneOfEach(given) : given;
  const [first] = values;
  if (values.every((value) => value === first)) return { same: first };
  if (values.every(isRecord)) return { record: toColumns(values) };
  if (values.every(isNumberOrNothing)) return numbers(values);
  return hexadecimal(values) ?? whole(values);
}

function whole(values: readonly unknown[]): Column {
  return values.includes(undefined) ? shared(values, values.length) : repeated(values);
}

/** Lists with the same items as one list, so that they count as one value. */
function withOneOfEach(values: readonly unknown[]): readonly unknown[] {
  const lists = new Map<string, unknown>();
  return values.map((value) => {
    if (!Array.isArray(value)) return value;
    const text = JSON.stringify(value);
    if (!lists.has(text)) lists.set(text, value);
    return lists.get(text);
  });
}

function isNumberOrNothing(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isFinite(value));
}

/** Milliseconds have up to six decimals. */
const partsPerMs = 1e6;

function numbers(values: readonly (number | undefined)[]): Column {
  if (values.includes(undefined)) return { some: values.map((value) => value ?? null) };
  const each = values as readonly number[];
  if (each.every(Number.isInteger)) return { each };
  const parts = each.map((value) => Math.round(value * partsPerMs));
  const exact = parts.every(
    (part, at) => Number.isSafeInteger(part) && part / partsPerMs === each[at],
  );
  return exact ? { parts, per: partsPerMs } : { each };
}

/** Ids of spans and traces are random: their bytes are as short as they can be. */
function hexadecimal(values: readonly unknown[]): Column | undefined {
  const [first] = values;
  if (typeof first !== "string" || first.length % 2 !== 0 || values.length < hexMin) return;
  const form = new RegExp(`^[0-9a-f]{${first.length}}$`);
  if (!values.every((value) => typeof value === "string" && form.test(value))) return undefined;
  if (new Set(values).size * 2 < values.length) return undefined;
  const bytes = (values.join("").match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { hex: first.length, bytes: btoa(binary) };
}

/** Fewer ids stay legible. */
const hexMin = 64;

function readHex(length: number, bytes: string): FieldReader {
  const binary = atob(bytes);
  const size = length / 2;
  return (index) => {
    let text = "";
    for (let at = index * size; at < (index + 1) * size; at += 1) {
      text += binary.charCodeAt(at).toString(16).padStart(2, "0");
    }
    return text;
  };
}

function differences(numbersIn: readonly number[]): readonly number[] {
  return numbersIn.map((value, at) => value - (numbersIn[at - 1] ?? 0));
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
): { readonly of: readonly unknown[]; readonly at: readonly number[]; readonly lacks?: number } {
  const places = new Map<unknown, number>();
  const at: number[] = [];
  for (const value of values) {
    let place = places.get(value);
    if (place === undefined) places.set(value, (place = places.size));
    if (places.size > distinctMax) break;
    at.push(place);
  }
  const lacks = places.get(undefined);
  const of = [...places.keys()].map((value) => value ?? null);
  return lacks === undefined ? { of, at } : { of, at, lacks };
}

const keptPlaces = new WeakMap<Columns, readonly number[]>();

/** Places in the second table, computed once: each field needs them. */
function readPlaces(columns: Columns, beside: Columns | undefined): readonly number[] {
  const kept = keptPlaces.get(columns);
  if (kept !== undefined) return kept;
  const { places = [] } = columns;
  let place = 0;
  const read = !("id" in places)
    ? places.map((step) => (place += step))
    : beside === undefined
      ? []
      : walkPlaces(places, beside.count, (field) => readField(beside, field));
  keptPlaces.set(columns, read);
  return read;
}

/** Reads one field: its value in each record, undefined where the record lacks it. */
export function readField(columns: Columns, field: string, beside?: Columns): FieldReader {
  const { fields } = columns;
  const at = readPlaces(columns, beside);
  const column = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (column === undefined) return () => undefined;
  return readColumn(column, {
    count: columns.count,
    own: (name) => readField(columns, name, beside),
    beside: (name) => {
      const read = beside === undefined ? undefined : readField(beside, name);
      return (index) => read?.(at[index] ?? -1);
    },
  });
}

/** Reads records one by one; each call makes a new one. */
export function readRecords<R>(columns: Columns, beside?: Columns): (index: number) => R {
  const readers = Object.keys(columns.fields).map(
    (field) => [field, readField(columns, field, beside)] as const,
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
export function fromColumns<R>(columns: Columns, beside?: Columns): R[] {
  const read = readRecords<R>(columns, beside);
  return Array.from({ length: columns.count }, (_, index) => read(index));
}

function readColumn(column: Column, readers: FieldReaders): FieldReader {
  if ("rule" in column) return readDerived(column, readers);
  if ("some" in column) return (index) => column.some[index] ?? undefined;
  if ("parts" in column) return (index) => (column.parts[index] ?? NaN) / column.per;
  if ("hex" in column) return readHex(column.hex, column.bytes);
  if ("pick" in column) {
    const of = readers.own(column.pick);
    return (index) => {
      const place = column.at[index] ?? -1;
      return place >= 0 ? of(place) : column.or[-2 - place];
    };
  }
  if ("first" in column) {
    const times = [column.first];
    return (index) => {
      for (let at = times.length; at <= index; at += 1) {
        times.push(laterText(times[at - 1] ?? "", column.steps[at - 1] ?? 0) ?? "");
      }
      return times[index];
    };
  }
  if ("same" in column) return () => column.same;
  if ("each" in column) return (index) => column.each[index];
  if ("record" in column) return readRecords(column.record);
  return (index) => {
    const place = column.at[index] ?? -1;
    return place === column.lacks ? undefined : column.of[place];
  };
}
