/** @module TurnSums: figures of records and their calls. */
import { nearestRank } from "@turnproof/semconv";
import type { TurnCall } from "@turnproof/evidence";

import { isCallOwn, usageOf } from "./call-usage.ts";
import {
  isListField,
  listFields,
  numberFields,
  statedText,
  textFields,
  timeFields,
} from "./turn-fields.ts";
import type { ListField, TextField } from "./turn-fields.ts";
import type {
  CallField,
  CallFigures,
  CallOptions,
  CallUsage,
  FigureGroup,
  FigureOptions,
  TurnFacet,
  TurnFigures,
} from "./turn-query.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Values of a record's field; a single null where it has none. */
function valuesOf(record: TurnRecord, field: TextField | ListField): readonly (string | null)[] {
  if (!isListField(field)) return [textFields[field](record)];
  const values = listFields[field](record);
  return values.length === 0 ? [null] : values;
}

/** The values of a field among some records, most frequent first, then by value. */
export function facetOf(
  records: readonly TurnRecord[],
  field: TextField | ListField,
  valuesMax: number,
): TurnFacet {
  const counts = new Map<string | null, number>();
  for (const record of records) {
    for (const value of valuesOf(record, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const values = [...counts]
    .map(([value, turns]) => ({ value, turns }))
    .toSorted((a, b) => b.turns - a.turns || compareValues(a.value, b.value));
  return { field, values: values.slice(0, valuesMax), total: values.length };
}

/** Null first, then by the bytes of UTF-8, as databases sort text. */
export function compareValues(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Figures by value and interval, in the order of both. */
export function figureGroups(
  records: readonly TurnRecord[],
  { by, everyMs, time = "ended_at" }: FigureOptions,
): readonly FigureGroup[] {
  const groups = new Map<string, { readonly at: Partial<FigureGroup>; own: TurnRecord[] }>();
  for (const record of records) {
    const from =
      everyMs === undefined
        ? undefined
        : Math.floor((timeFields[time](record) ?? 0) / (everyMs * 1_000)) * everyMs;
    for (const value of by === undefined ? [undefined] : valuesOf(record, by)) {
      const key = JSON.stringify([value ?? 0, from]);
      const group = groups.get(key);
      if (group !== undefined) group.own.push(record);
      else {
        const at = {
          ...(value === undefined ? {} : { value }),
          ...(from === undefined ? {} : { from_ms: from }),
        };
        groups.set(key, { at, own: [record] });
      }
    }
  }
  return [...groups.values()]
    .map(({ at, own }) => ({ ...at, ...figuresOf(own) }))
    .toSorted(
      (a, b) =>
        compareValues(a.value ?? null, b.value ?? null) || (a.from_ms ?? 0) - (b.from_ms ?? 0),
    );
}

function figuresOf(records: readonly TurnRecord[]): TurnFigures {
  const known = (field: keyof typeof numberFields): number[] =>
    records.flatMap((record) => numberFields[field](record) ?? []);
  const durations = known("duration_ms");
  const input = known("input_tokens");
  const output = known("output_tokens");
  const reported = records.filter(
    ({ row }) => row.input_tokens !== null || row.output_tokens !== null,
  ).length;
  const cached = records.filter(
    ({ row }) => row.input_tokens !== null && row.cached_tokens !== null,
  );
  const times = records.map((record) => timeFields.ended_at(record) ?? 0).toSorted((a, b) => a - b);
  return {
    turns: records.length,
    errors: records.filter(({ row }) => row.has_error).length,
    verdicts: countBy(records.map(({ row }) => row.verdict ?? "unjudged")),
    ...percentilesOf(durations),
    duration_unknown: records.length - durations.length,
    tool_results: total(known("tool_results")) ?? 0,
    tool_limited: total(known("tool_limited")) ?? 0,
    tool_failed: total(known("tool_failed")) ?? 0,
    input_tokens: total(input),
    input_unknown: records.length - input.length,
    output_tokens: total(output),
    output_unknown: records.length - output.length,
    tokens_unknown: records.length - reported,
    cached_tokens: total(cached.map(({ row }) => row.cached_tokens ?? 0)),
    cached_of_tokens: total(cached.map(({ row }) => row.input_tokens ?? 0)),
    cached_unknown: records.length - cached.length,
    first_at: times[0] ?? null,
    last_at: times.at(-1) ?? null,
  };
}

function percentilesOf(
  durations: readonly number[],
): Pick<TurnFigures, "p50_ms" | "p95_ms" | "p99_ms"> {
  return {
    p50_ms: nearestRank(durations, 0.5),
    p95_ms: nearestRank(durations, 0.95),
    p99_ms: nearestRank(durations, 0.99),
  };
}

/** The sum, or null without a value. */
function total(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

interface CallAt {
  readonly call: TurnCall;
  readonly record: TurnRecord;
}

/** Figures of the calls of some records, by the values of these fields. */
export function callGroups(
  records: readonly TurnRecord[],
  requested: {
    readonly kind: TurnCall["kind"];
    readonly by: readonly CallField[];
    readonly options?: CallOptions | undefined;
  },
): readonly CallFigures[] {
  const { kind, by, options = {} } = requested;
  const groups = new Map<string, { readonly at: Partial<CallFigures>; readonly own: TurnCall[] }>();
  for (const record of records) {
    for (const call of record.calls) {
      if (call.kind !== kind) continue;
      const { key: divided, ...at } = divisionOf({ call, record }, options);
      for (const values of combinations({ call, record }, by)) {
        const key = JSON.stringify([...values, ...divided]);
        const group = Object.fromEntries(by.map((field, nth) => [field, values[nth] ?? null]));
        const known = groups.get(key);
        if (known === undefined) groups.set(key, { at: { group, ...at }, own: [call] });
        else known.own.push(call);
      }
    }
  }
  return [...groups]
    .toSorted(([a, x], [b, y]) => y.own.length - x.own.length || compareValues(a, b))
    .map(([, { at, own }]) => {
      const { group = {}, usage, ...rest } = at;
      const sums = { ...rest, group, ...callFigures(own) };
      return usage === undefined ? sums : { ...sums, usage: { ...usage, ...usageSums(own) } };
    });
}

/** The interval and the usage of a call. */
function divisionOf(
  { call, record }: CallAt,
  { everyMs, inputSteps }: CallOptions,
): Pick<CallFigures, "from_ms" | "usage"> & { readonly key: readonly unknown[] } {
  const from =
    everyMs === undefined
      ? undefined
      : Math.floor((timeFields.ended_at(record) ?? 0) / (everyMs * 1_000)) * everyMs;
  const usage = inputSteps === undefined ? undefined : usageOf(call, inputSteps);
  return {
    key: [
      ...(usage === undefined ? [] : [usage.service_tier, usage.input_step, usage.known]),
      ...(from === undefined ? [] : [from]),
    ],
    ...(from === undefined ? {} : { from_ms: from }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function usageSums(
  calls: readonly TurnCall[],
): Pick<CallUsage, "cache_write_tokens" | "reasoning_tokens"> {
  return {
    cache_write_tokens: total(calls.flatMap((call) => call.cache_write_tokens ?? [])),
    reasoning_tokens: total(calls.flatMap((call) => call.reasoning_tokens ?? [])),
  };
}

/** A turn of several releases counts its calls under each of them. */
function combinations(at: CallAt, by: readonly CallField[]): (string | null)[][] {
  return by.reduce<(string | null)[][]>(
    (before, field) =>
      before.flatMap((values) => callValues(at, field).map((value) => [...values, value])),
    [[]],
  );
}

function callValues({ call, record }: CallAt, field: CallField): readonly (string | null)[] {
  if (!isCallOwn(field)) return valuesOf(record, field);
  return [statedText(call[field])];
}

function callFigures(calls: readonly TurnCall[]): Omit<CallFigures, "group"> {
  const durations = calls.flatMap(({ duration_ms: ms }) => ms ?? []);
  const reported = calls.filter(
    (call) => call.input_tokens !== null || call.output_tokens !== null,
  );
  return {
    calls: calls.length,
    outcomes: countBy(calls.map(({ outcome }) => statedText(outcome) ?? "unknown")),
    ...percentilesOf(durations),
    duration_unknown: calls.length - durations.length,
    input_tokens: total(calls.flatMap((call) => call.input_tokens ?? [])),
    output_tokens: total(calls.flatMap((call) => call.output_tokens ?? [])),
    cached_tokens: total(calls.flatMap((call) => call.cached_tokens ?? [])),
    tokens_unknown: calls.length - reported.length,
  };
}
