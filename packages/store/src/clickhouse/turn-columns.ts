/**
 * @module TurnColumns: the table of turns, derived from the table of fields. `FINAL` folds the
 * versions of a key; all versions of a turn have the same `first_received`. An unknown text is
 * empty, an unknown number NULL.
 */
import {
  listFields,
  numberFields,
  ownLists,
  storedTimeNames,
  textFields,
  timeFields,
} from "../ledger/turn-fields.ts";
import type { ListField, NumberField, TextField } from "../ledger/turn-fields.ts";
import { packRecord } from "../ledger/packed-record.ts";
import { versionNumber } from "../ledger/turn-writes.ts";
import type { TurnEnd, TurnWrite } from "../ledger/turn-writes.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import type { NativeValue } from "./native-sink.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";

const label = "LowCardinality(String)";
const time = "DateTime64(6, 'UTC')";

/** Text fields with many distinct values, for which a dictionary would cost more than it saves. */
const many: ReadonlySet<string> = new Set([
  "tenant",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "root_trace_id",
]);

/** The column of each list; singular, as in a query. */
const listColumn = (field: ListField): string => `${field}_list`;

/** The column with all values of a list as one text, a JSON array; facets count by it. */
const setColumn = (field: ListField): string => `${field}_set`;

/** Values of calls, each as one of several parallel lists. */
const callColumns: readonly (readonly [name: string, type: string])[] = [
  ["call_kind", label],
  ["call_name", label],
  ["call_provider", label],
  ["call_outcome", label],
  ["call_error_type", label],
  ["call_duration_ms", "Nullable(Float64)"],
  ["call_input_tokens", "Nullable(Float64)"],
  ["call_output_tokens", "Nullable(Float64)"],
  ["call_cached_tokens", "Nullable(Float64)"],
];

/** Values of calls whose columns a later migration adds; a row before it has unknown ones. */
export const usageColumns: readonly (readonly [name: string, type: string, unknown: string])[] = [
  ["call_cache_write_tokens", "Nullable(Float64)", "NULL"],
  ["call_reasoning_tokens", "Nullable(Float64)", "NULL"],
  ["call_service_tier", label, "''"],
];

const texts = Object.keys(textFields) as readonly TextField[];
const numbers = Object.keys(numberFields) as readonly NumberField[];

/** Lists whose columns a later migration adds; a row before it has no value of them. */
const laterLists: ReadonlySet<ListField> = new Set(["reason"]);
const firstLists = ownLists.filter((field) => !laterLists.has(field));

const listType = (field: ListField): string =>
  field === "name" ? "Array(String)" : `Array(${label})`;

/** Name and type of every column of the first table, in its order. */
export const turnColumns: readonly (readonly [name: string, type: string])[] = [
  ["key", "String"],
  ["version", "UInt64"],
  ["gone", "UInt8"],
  ["has_error", "Bool"],
  ...texts.map((name) => [name, many.has(name) ? "String" : label] as const),
  ...firstLists.map((name) => [listColumn(name), listType(name)] as const),
  ...numbers.map((name) => [name, "Nullable(Float64)"] as const),
  ...storedTimeNames.map(
    (name) => [name, name === "received_at" ? `Nullable(${time})` : time] as const,
  ),
  ...callColumns.map(([name, type]) => [name, `Array(${type})`] as const),
  ["record", "String"],
];

/**
 * Name, type and expression of every column that the engine computes. A list as one text with few
 * distinct values is counted five times as fast as the list; with many distinct values it is not
 * stored.
 */
export const filledColumns: readonly (readonly [name: string, type: string, filled: string])[] =
  firstLists.map(filledColumn);

/** Columns that a later migration adds: each list, and its values as one text. */
export const laterColumns: readonly (readonly [name: string, type: string, filled: string])[] = [
  ...laterLists,
].flatMap((field) => [
  [listColumn(field), listType(field), "CODEC(ZSTD(1))"] as const,
  filledColumn(field),
]);

function filledColumn(field: ListField): readonly [name: string, type: string, filled: string] {
  const text = `toJSONString(${listColumn(field)})`;
  return hasStoredSet(field)
    ? [setColumn(field), label, `MATERIALIZED ${text} CODEC(ZSTD(1))`]
    : [setColumn(field), "String", `ALIAS ${text}`];
}

/** True for a field of which the lists as texts are stored. */
export function hasStoredSet(field: ListField): boolean {
  return field !== "name";
}

/** A block of some writes. */
export function encodeTurns(lines: readonly TurnWrite[]): EncodedBlock {
  const block = new NativeBlock();
  let put: ((record: TurnRecord) => void) | undefined;
  for (const line of lines) {
    if ("put" in line) (put ??= recordWriter(block))(line.put);
    else putEnd(block, line.drop);
    block.endRow();
  }
  return block.encode();
}

function putEnd(block: NativeBlock, end: TurnEnd): void {
  const { key, version, first_received, root_trace_id } = end;
  block.set("key", "String", key);
  // With the root the row goes to the same shard as the turn that it deletes.
  block.set("root_trace_id", "String", root_trace_id);
  block.set("version", "UInt64", versionNumber(version));
  block.set("gone", "UInt8", 1);
  const micros = timeFields.first_received({ first_received } as TurnRecord);
  block.set("first_received", time, micros ?? 0);
}

/** Numbers of a call that have a column. */
const countedCalls = [
  "duration_ms",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
] as const;

/** The value of each column in a row of a turn, beside its key and version. */
const written: readonly (readonly [
  name: string,
  type: string,
  value: (record: TurnRecord) => NativeValue,
])[] = [
  ["key", "String", ({ key }) => key],
  ["version", "UInt64", ({ version }) => versionNumber(version)],
  ["gone", "UInt8", () => 0],
  ["has_error", "Bool", ({ row }) => row.has_error],
  ...texts.map((name) => {
    const value = textFields[name];
    const type = many.has(name) ? "String" : label;
    return [name, type, (record: TurnRecord) => value(record) ?? ""] as const;
  }),
  ...ownLists.map((name) => {
    return [listColumn(name), listType(name), listFields[name]] as const;
  }),
  ...numbers.map((name) => [name, "Nullable(Float64)", numberFields[name]] as const),
  ...storedTimeNames.map((name) => {
    const type = name === "received_at" ? `Nullable(${time})` : time;
    return [name, type, timeFields[name]] as const;
  }),
  ...(["kind", "name", "provider", "outcome", "error_type", "service_tier"] as const).map(
    (name) => {
      const value = ({ calls }: TurnRecord): NativeValue => calls.map((call) => call[name] ?? "");
      return [`call_${name}`, `Array(${label})`, value] as const;
    },
  ),
  ...countedCalls.map((name) => {
    const value = ({ calls }: TurnRecord): NativeValue => calls.map((call) => call[name] ?? null);
    return [`call_${name}`, "Array(Nullable(Float64))", value] as const;
  }),
  ["record", "String", (record) => packRecord(record)],
];

/** Writes a turn; the columns are looked up once for a block and not for each row. */
function recordWriter(block: NativeBlock): (record: TurnRecord) => void {
  const columns = written.map(([name, type, value]) => ({
    column: block.column(name, type),
    value,
  }));
  return (record) => {
    for (const { column, value } of columns) column.put(block.rows, value(record));
  };
}

/** The column of a field of several values. */
export function columnOfList(field: ListField): string {
  return listColumn(field);
}

/** The column with all values of a field of several values as one text, a JSON array. */
export function columnOfSet(field: ListField): string {
  return setColumn(field);
}
