/**
 * @module FigureRows: converts rows of a provider's grouped statements to the ledger's answers.
 * All providers use these column names.
 */
import { groupBy } from "@turnproof/semconv";

import type {
  CallField,
  CallFigures,
  CallOptions,
  CallUsage,
  CountGroup,
  CountOptions,
  FigureGroup,
  FigureOptions,
  TurnCondition,
  TurnQuery,
} from "./turn-query.ts";
import { compareValues } from "./turn-sums.ts";

/** One row of an answer. */
export type FigureRow = Readonly<Record<string, unknown>>;

/** Columns of figures; each is a number, or null without values. */
const figureColumns = [
  "turns",
  "errors",
  "p50_ms",
  "p95_ms",
  "p99_ms",
  "duration_unknown",
  "tool_results_sum",
  "tool_limited_sum",
  "tool_failed_sum",
  "input_sum",
  "output_sum",
  "input_unknown",
  "output_unknown",
  "tokens_unknown",
  "cached_sum",
  "cached_of_sum",
  "cached_unknown",
  "first_at",
  "last_at",
] as const;

/**
 * Figures by value and interval, in the order of both.
 *
 * @param groups `value`, `stretch` and the columns of figures
 * @param verdicts `value`, `stretch`, `verdict` and `turns`
 */
export function figureGroupsOf(
  groups: readonly FigureRow[],
  verdicts: readonly FigureRow[],
  { by, everyMs }: FigureOptions,
): readonly FigureGroup[] {
  const keyOf = (row: FigureRow): string => JSON.stringify([textOf(row["value"]), row["stretch"]]);
  const stated = groupBy(verdicts, keyOf);
  return groups
    .filter((row) => Number(row["turns"]) > 0)
    .map((row): FigureGroup => {
      const known = (name: (typeof figureColumns)[number]): number | null => numberOf(row[name]);
      const sure = (name: (typeof figureColumns)[number]): number => known(name) ?? 0;
      return {
        ...(by === undefined ? {} : { value: textOf(row["value"]) }),
        ...(everyMs === undefined ? {} : { from_ms: Number(row["stretch"]) * everyMs }),
        turns: sure("turns"),
        errors: sure("errors"),
        verdicts: countsOf(stated.get(keyOf(row)), "verdict", "turns"),
        p50_ms: known("p50_ms"),
        p95_ms: known("p95_ms"),
        p99_ms: known("p99_ms"),
        duration_unknown: sure("duration_unknown"),
        tool_results: sure("tool_results_sum"),
        tool_limited: sure("tool_limited_sum"),
        tool_failed: sure("tool_failed_sum"),
        input_tokens: known("input_sum"),
        input_unknown: sure("input_unknown"),
        output_tokens: known("output_sum"),
        output_unknown: sure("output_unknown"),
        tokens_unknown: sure("tokens_unknown"),
        cached_tokens: known("cached_sum"),
        cached_of_tokens: known("cached_of_sum"),
        cached_unknown: sure("cached_unknown"),
        first_at: known("first_at"),
        last_at: known("last_at"),
      };
    })
    .toSorted(inOrder);
}

/**
 * Counts by the figures of a provider whose engine has no faster way to count.
 *
 * @param figuresOf reads the figures of a query
 */
export async function countsByFigures(
  figuresOf: (query: TurnQuery, options: FigureOptions) => Promise<readonly FigureGroup[]>,
  query: TurnQuery,
  { also, ...options }: CountOptions,
): Promise<readonly CountGroup[]> {
  const matching = also === undefined ? undefined : narrowed(query, also);
  const [all, some] = await Promise.all([
    figuresOf(query, options),
    matching === undefined ? [] : figuresOf(matching, options),
  ]);
  const keyOf = ({ value, from_ms }: FigureGroup): string => JSON.stringify([value, from_ms]);
  const alsoOf = new Map(some.map((group) => [keyOf(group), group.turns]));
  return all.map((group) => {
    const { turns, errors, first_at, last_at, from_ms, value } = group;
    return {
      ...(value === undefined ? {} : { value }),
      ...(from_ms === undefined ? {} : { from_ms }),
      ...(also === undefined ? {} : { also: alsoOf.get(keyOf(group)) ?? 0 }),
      turns,
      errors,
      first_at,
      last_at,
    };
  });
}

function narrowed(query: TurnQuery, condition: TurnCondition): TurnQuery {
  return { ...query, where: [...query.where, condition] };
}

/**
 * Counts by value and interval, in the order of both.
 *
 * @param rows `value`, `stretch`, `turns`, `errors`, `also`, `first_at` and `last_at`
 */
export function countGroupsOf(
  rows: readonly FigureRow[],
  { by, everyMs, also }: CountOptions,
): readonly CountGroup[] {
  return rows
    .filter((row) => Number(row["turns"]) > 0)
    .map((row): CountGroup => ({
      ...(by === undefined ? {} : { value: textOf(row["value"]) }),
      ...(everyMs === undefined ? {} : { from_ms: Number(row["stretch"]) * everyMs }),
      ...(also === undefined ? {} : { also: Number(row["also"]) }),
      turns: Number(row["turns"]),
      errors: Number(row["errors"]),
      first_at: numberOf(row["first_at"]),
      last_at: numberOf(row["last_at"]),
    }))
    .toSorted(inOrder);
}

function inOrder(a: CountGroup, b: CountGroup): number {
  return compareValues(a.value ?? null, b.value ?? null) || (a.from_ms ?? 0) - (b.from_ms ?? 0);
}

/**
 * Figures of calls, largest first.
 *
 * @param groups `by_…` for each field, those of {@link callKeys}, and the sums of the calls
 * @param outcomes the same keys, `stated` and `calls`
 */
export function callFiguresOf(
  groups: readonly FigureRow[],
  outcomes: readonly FigureRow[],
  by: readonly CallField[],
  options: CallOptions = {},
): readonly CallFigures[] {
  const { everyMs, inputSteps } = options;
  const keyOf = (row: FigureRow): string =>
    JSON.stringify([
      ...by.map((field) => textOf(row[`by_${field}`])),
      ...(inputSteps === undefined
        ? []
        : [textOf(row["use_tier"]), Number(row["use_step"]), textOf(row["use_known"])]),
      ...(everyMs === undefined ? [] : [Number(row["stretch"]) * everyMs]),
    ]);
  const stated = groupBy(outcomes, keyOf);
  return groups
    .filter((row) => Number(row["calls"]) > 0)
    .map((row): [string, CallFigures] => [
      keyOf(row),
      {
        group: Object.fromEntries(by.map((field) => [field, textOf(row[`by_${field}`])])),
        calls: Number(row["calls"]),
        outcomes: countsOf(stated.get(keyOf(row)), "stated", "calls"),
        p50_ms: numberOf(row["p50_ms"]),
        p95_ms: numberOf(row["p95_ms"]),
        p99_ms: numberOf(row["p99_ms"]),
        duration_unknown: Number(row["duration_unknown"]),
        input_tokens: numberOf(row["input_sum"]),
        output_tokens: numberOf(row["output_sum"]),
        cached_tokens: numberOf(row["cached_sum"]),
        tokens_unknown: Number(row["tokens_unknown"]),
        ...(everyMs === undefined ? {} : { from_ms: Number(row["stretch"]) * everyMs }),
        ...(inputSteps === undefined ? {} : { usage: usageOf(row) }),
      },
    ])
    .toSorted(([a, x], [b, y]) => y.calls - x.calls || compareValues(a, b))
    .map(([, figures]) => figures);
}

function usageOf(row: FigureRow): CallUsage {
  return {
    service_tier: textOf(row["use_tier"]),
    input_step: Number(row["use_step"]),
    known: textOf(row["use_known"]),
    cache_write_tokens: numberOf(row["write_sum"]),
    reasoning_tokens: numberOf(row["reasoning_sum"]),
  };
}

/** Columns by which calls are grouped, besides `by_…`. */
export function callKeys({ everyMs, inputSteps }: CallOptions): readonly string[] {
  return [
    ...(inputSteps === undefined ? [] : ["use_tier", "use_step", "use_known"]),
    ...(everyMs === undefined ? [] : ["stretch"]),
  ];
}

function countsOf(
  rows: readonly FigureRow[] | undefined,
  word: string,
  count: string,
): Readonly<Record<string, number>> {
  const counts = (rows ?? []).map((row) => [String(row[word]), Number(row[count])] as const);
  return Object.fromEntries(counts.toSorted(([a], [b]) => compareValues(a, b)));
}

/** A text of an answer; an empty one is unknown. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A number of an answer, or null. */
function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
