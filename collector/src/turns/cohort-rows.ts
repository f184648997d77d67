/**
 * @module CohortRows: figures of two groups of turns side by side, each with its interval, and the
 * test of their difference. Holm's correction covers all of them.
 */
import {
  compareRatios,
  compareShares,
  holm,
  percentileRanks,
  ratioOf,
  shareInterval,
} from "@turnproof/contracts";
import type { RatioPart } from "@turnproof/contracts";
import { durationClasses } from "@turnproof/evidence";

import { cohortLevel } from "../ui/display/cohort-figures.ts";
import type {
  CohortGroup,
  CohortRow,
  CohortSide,
  CohortUnit,
} from "../ui/display/cohort-figures.ts";

const confidence = 0.95;

/** A row before the correction. */
export type Untested = Omit<CohortRow, "significant">;

/** A part of a number of turns; `unknown` are those without a value, and are not in `of`. */
export interface CohortPart {
  readonly hits: number;
  readonly of: number;
  readonly unknown?: number;
}

/** Shares of turns: Clopper and Pearson's intervals, Fisher's exact test in both directions. */
export function shareRow(
  name: string,
  a: CohortPart,
  b: CohortPart,
  term: string | null = null,
): Untested {
  const { difference, interval, different } = compareShares(a, b, confidence);
  const tested = a.of > 0 && b.of > 0;
  return {
    name,
    unit: "share",
    a: shareSide(a),
    b: shareSide(b),
    difference: difference ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p: tested ? different : null,
    term,
  };
}

function shareSide({ hits, of, unknown = 0 }: CohortPart): CohortSide {
  const interval = shareInterval(hits, of, confidence);
  return {
    value: of === 0 ? null : hits / of,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    of,
    hits,
    unknown,
  };
}

/** Sums of the intervals of time of one side; `unknown` is what adds nothing to them. */
export interface Sums {
  readonly parts: readonly RatioPart[];
  readonly unknown: number;
  /** True where a count of the parts can be shown: calls that failed. */
  readonly counted?: true;
}

/** Ratios of sums: intervals and Welch's test over intervals of time. */
export function ratioRow(
  name: string,
  unit: CohortUnit,
  { a, b }: { readonly a: Sums; readonly b: Sums },
  term: string | null = null,
): Untested {
  const { difference, interval, different } = compareRatios(a.parts, b.parts, confidence);
  return {
    name,
    unit,
    a: ratioSide(a, unit),
    b: ratioSide(b, unit),
    difference: difference ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p: different ?? null,
    term,
  };
}

function ratioSide({ parts, unknown, counted }: Sums, unit: CohortUnit): CohortSide {
  const reported = ratioOf(parts, confidence);
  const of = parts.reduce((sum, { whole }) => sum + whole, 0);
  const hits = counted === true ? parts.reduce((sum, { part }) => sum + part, 0) : null;
  // None or all of them: the variance is 0; the number of intervals limits the rate.
  const some = parts.filter(({ whole }) => whole > 0).length;
  const whole = unit === "share" && (hits === 0 || hits === of);
  const interval = whole
    ? shareInterval(hits === 0 ? 0 : some, some, confidence)
    : reported?.interval;
  const high = interval?.high ?? null;
  return {
    value: reported?.ratio ?? null,
    low: interval?.low ?? null,
    high: high !== null && unit === "share" ? Math.min(1, high) : high,
    of,
    hits,
    unknown,
  };
}

/** Durations of one side: the number of turns by class, and the percentiles. */
export interface Durations {
  readonly classes: ReadonlyMap<number, number>;
  readonly unknown: number;
}

/**
 * A percentile of the durations. Its interval has the bounds of the classes of the order statistics
 * that enclose it, so it is never too narrow. The test: Fisher's exact test of the share of turns
 * above the class of the same percentile of both sides together.
 */
export function percentileRow(
  share: number,
  a: Durations & { readonly value: number | null },
  b: Durations & { readonly value: number | null },
): Untested {
  const both = new Map(a.classes);
  for (const [at, turns] of b.classes) both.set(at, (both.get(at) ?? 0) + turns);
  const cut = classAtRank(both, Math.max(1, Math.ceil(share * totalOf(both))));
  const [left, right] = [slower(a.classes, cut), slower(b.classes, cut)];
  const tested = left.of > 0 && right.of > 0;
  return {
    name: `p${Math.round(share * 100)}`,
    unit: "ms",
    a: percentileSide(share, a),
    b: percentileSide(share, b),
    difference: a.value === null || b.value === null ? null : b.value - a.value,
    low: null,
    high: null,
    p: tested ? compareShares(left, right, confidence).different : null,
    term: null,
  };
}

function percentileSide(
  share: number,
  { value, classes, unknown }: Durations & { readonly value: number | null },
): CohortSide {
  const turns = totalOf(classes);
  const { low, high } = percentileRanks(turns, share, confidence);
  const from = low < 1 ? undefined : classAtRank(classes, low);
  const to = high > turns ? undefined : classAtRank(classes, high);
  const bound = (at: number): number => Number((10 ** (at / durationClasses)).toPrecision(4));
  return {
    value,
    low: from === undefined ? null : bound(from),
    high: to === undefined ? null : bound(to + 1),
    of: turns,
    hits: null,
    unknown,
  };
}

function totalOf(classes: ReadonlyMap<number, number>): number {
  return [...classes.values()].reduce((sum, turns) => sum + turns, 0);
}

function classAtRank(classes: ReadonlyMap<number, number>, rank: number): number | undefined {
  let seen = 0;
  for (const [at, turns] of [...classes].toSorted(([a], [b]) => a - b)) {
    seen += turns;
    if (seen >= rank) return at;
  }
  return undefined;
}

/** Turns above a class, of all with a duration. */
function slower(classes: ReadonlyMap<number, number>, cut: number | undefined): CohortPart {
  const above = [...classes].filter(([at]) => cut !== undefined && at > cut);
  return { hits: above.reduce((sum, [, turns]) => sum + turns, 0), of: totalOf(classes) };
}

/** The groups with corrected p-values. */
export function corrected(
  groups: readonly { readonly name: string; readonly rows: readonly Untested[] }[],
): { readonly groups: readonly CohortGroup[]; readonly tested: number } {
  const tested = groups.flatMap(({ rows }) => rows).filter(({ p }) => p !== null);
  const adjusted = holm(tested.map(({ p }) => p ?? 1));
  const byRow = new Map(tested.map((row, at) => [row, adjusted[at] ?? 1]));
  return {
    tested: tested.length,
    groups: groups
      .filter(({ rows }) => rows.length > 0)
      .map(({ name, rows }) => ({
        name,
        rows: rows.map((row) => {
          const p = byRow.get(row) ?? null;
          return { ...row, p, significant: p !== null && p <= cohortLevel };
        }),
      })),
  };
}
