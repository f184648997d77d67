/**
 * @module CallRows: figures of the tool or model calls of a query, by one field and over time.
 * All are computed by the store, over every call.
 */
import type { CallField, CallFigures, TurnQuery, TurnReader } from "@turnproof/store";

import type { SelectedCall } from "./selected-call.ts";
import { turnSeries } from "./turn-series.ts";
import type { SeriesOptions } from "./turn-series.ts";

/** What calls are listed by. */
export const callFields = ["name", "provider", "release", "agent"] as const;
/** One of {@link callFields}. */
export type ListedBy = (typeof callFields)[number];

/** Figures of some calls. */
export interface CallSums {
  readonly calls: number;
  /** Calls by outcome; a model call has its status. They add up to `calls`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly duration_unknown: number;
}

/** The calls in one interval. */
export interface CallSlice extends Pick<CallSums, "calls" | "p95_ms"> {
  readonly from_ms: number;
  readonly failed: number;
}

/** The calls with one value. */
export interface CallRow extends CallSums {
  /** Null where it is not recorded. */
  readonly value: string | null;
  /** The intervals with calls, in the order of time. */
  readonly slices: readonly CallSlice[];
}

/** The calls of a query. */
export interface CallRows {
  readonly total: CallSums;
  /** All calls over time; a call of several releases counts once. */
  readonly slices: readonly CallSlice[];
  readonly rows: readonly CallRow[];
  /** Intervals of the drawn time; null where nothing is drawn. */
  readonly frame: {
    readonly from_ms: number;
    readonly step_ms: number;
    readonly size: number;
  } | null;
}

const fieldOf: Readonly<Record<ListedBy, CallField>> = {
  name: "name",
  provider: "provider",
  release: "release",
  agent: "agent_id",
};

const noCalls: CallSums = {
  calls: 0,
  outcomes: {},
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  duration_unknown: 0,
};

/** Which calls of the turns are counted, and how they are listed. */
export interface ListedCalls {
  readonly kind: "tool" | "model";
  readonly by: ListedBy;
  /** Only calls with these values; default all. */
  readonly selected?: SelectedCall | undefined;
}

/** The calls of all turns of a query. */
export async function callRows(
  ledger: TurnReader,
  query: TurnQuery,
  of: SeriesOptions & ListedCalls,
): Promise<CallRows> {
  const { kind, by, selected = {} } = of;
  const field = fieldOf[by];
  const bounds = Object.keys(selected) as (keyof SelectedCall)[];
  // The store groups by the selected values as well, so that each percentile is of these calls.
  const read = async (
    requested: TurnQuery,
    fields: readonly CallField[],
    everyMs?: number,
  ): Promise<readonly CallFigures[]> => {
    const grouped = [...new Set([...fields, ...bounds])];
    const groups = await ledger.callFigures(
      requested,
      kind,
      grouped,
      everyMs === undefined ? undefined : { everyMs },
    );
    return groups.filter(({ group }) =>
      bounds.every((one) => (group[one] ?? null) === selected[one]),
    );
  };
  const counts = turnSeries(
    (requested, options) => ledger.turnCounts(requested, options),
    query,
    of,
  );
  const [{ frame, drawn }, [total], groups] = await Promise.all([
    counts,
    read(query, []),
    read(query, [field]),
  ]);
  const timed = (fields: readonly CallField[]): Promise<readonly CallFigures[]> =>
    frame === undefined ? Promise.resolve([]) : read(drawn, fields, frame.stepMs);
  const [all, each] = await Promise.all([timed([]), timed([field])]);
  const valueOf = ({ group }: CallFigures): string | null => group[field] ?? null;
  const slices = Map.groupBy(each, valueOf);
  return {
    total: total === undefined ? noCalls : sumsOf(total),
    slices: slicesOf(all),
    rows: groups.map((figures) => ({
      value: valueOf(figures),
      ...sumsOf(figures),
      slices: slicesOf(slices.get(valueOf(figures)) ?? []),
    })),
    frame:
      frame === undefined
        ? null
        : { from_ms: frame.fromMs, step_ms: frame.stepMs, size: frame.size },
  };
}

function sumsOf({ calls, outcomes, p50_ms, p95_ms, p99_ms, duration_unknown }: CallFigures) {
  return { calls, outcomes, p50_ms, p95_ms, p99_ms, duration_unknown };
}

function slicesOf(figures: readonly CallFigures[]): readonly CallSlice[] {
  return figures
    .map(({ calls, outcomes, p95_ms, from_ms = 0 }) => ({
      from_ms,
      calls,
      failed: failedOf(outcomes),
      p95_ms,
    }))
    .toSorted((a, b) => a.from_ms - b.from_ms);
}

/** Calls that failed, by themselves or at their provider. */
export function failedOf(outcomes: CallSums["outcomes"]): number {
  return (outcomes["error"] ?? 0) + (outcomes["provider_error"] ?? 0);
}
