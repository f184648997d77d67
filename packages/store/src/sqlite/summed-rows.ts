/** @module SummedRows: adds up partial groups that an engine summed. */
import { groupBy } from "@turnproof/semconv";

import type { FigureRow } from "../ledger/figure-rows.ts";

/** Groups by some columns of rows that are divided further; unknown values add nothing. */
export function addedUp(
  parts: readonly FigureRow[],
  keys: readonly string[],
  sums: readonly string[],
): readonly FigureRow[] {
  const groups = groupBy(parts, (row) => JSON.stringify(keys.map((key) => row[key])));
  return [...groups.values()].map((own) => {
    const added = sums.map((name) => [name, sumOf(own, name)] as const);
    return { ...own[0], ...Object.fromEntries(added) };
  });
}

function sumOf(rows: readonly FigureRow[], name: string): number | null {
  const known = rows.map((row) => row[name]).filter((value) => value !== null);
  if (known.length === 0) return null;
  const values = known.map(Number);
  if (name === "first_at") return Math.min(...values);
  if (name === "last_at") return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0);
}

const shares = { p50_ms: 0.5, p95_ms: 0.95, p99_ms: 0.99 } as const;

/**
 * The groups with the percentiles of their durations, by nearest rank.
 *
 * @param durations lists of the values of `keys` and one duration
 */
export function withPercentiles(
  groups: readonly FigureRow[],
  keys: readonly string[],
  durations: readonly (readonly unknown[])[],
): readonly FigureRow[] {
  const known = new Map<unknown, Nested>();
  for (const row of durations) {
    const last = row.length - 2;
    let own = known;
    for (let at = 0; at < last; at += 1) own = nested(own, row[at]);
    const values = own.get(row[last]);
    if (Array.isArray(values)) values.push(Number(row[last + 1]));
    else own.set(row[last], [Number(row[last + 1])]);
  }
  return groups.map((group) => {
    const found = keys.reduce<Nested | undefined>(
      (own, key) => (own instanceof Map ? own.get(group[key]) : undefined),
      known,
    );
    const sorted = Float64Array.from(Array.isArray(found) ? found : []).toSorted();
    const picked = Object.entries(shares).map(([name, share]) => {
      const rank = Math.max(0, Math.ceil(share * sorted.length) - 1);
      return [name, sorted[rank] ?? null] as const;
    });
    return { ...group, ...Object.fromEntries(picked) };
  });
}

/**
 * Durations by the values of one column after the other: building a text for each row would cost
 * more.
 */
type Nested = Map<unknown, Nested> | number[];

function nested(of: Map<unknown, Nested>, key: unknown): Map<unknown, Nested> {
  const known = of.get(key);
  if (known instanceof Map) return known;
  const own = new Map<unknown, Nested>();
  of.set(key, own);
  return own;
}
