/**
 * @module Trend: turns over time and by release: verdicts, durations, tools and tokens of each
 * interval, with unknown values counted as well.
 */
import type { TurnRow } from "@turnproof/evidence";
import { nearestRank, verdictStatuses } from "@turnproof/semconv";

import { plausibleOf } from "./plausible-time.ts";
import { binned, lastedMs } from "./turn-figures.ts";

/** Possible verdicts of a turn, least important first; `unjudged` for none. */
export const verdictTexts: readonly string[] = [...verdictStatuses, "unjudged"];

/** Verdicts and durations of some turns; null is unknown, never zero. */
export interface VerdictFigures {
  readonly turns: number;
  /** Turns by verdict, `unjudged` without one. */
  readonly verdicts: Readonly<Record<string, number>>;
  /** Median and 95th percentile of the known durations, in milliseconds. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** Turns of unknown duration. */
  readonly duration_unknown: number;
}

/** Figures of some turns. */
export interface TrendFigures extends VerdictFigures {
  /** Tool results, those with a fallback or a limitation, and failed ones. */
  readonly tool_results: number;
  readonly tool_limited: number;
  readonly tool_failed: number;
  /** Input and output tokens of the turns with counts, and the number of these turns. */
  readonly tokens: number | null;
  readonly tokens_turns: number;
  /** True when some call of these turns has not all of its counts, a lower bound. */
  readonly tokens_partial: boolean;
  /** Share of input tokens that came from a cache, over the turns with both counts. */
  readonly cached_share: number | null;
}

/** One time interval, in epoch milliseconds, by the last events of its turns. */
export interface TrendSlice extends TrendFigures {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Turns of one release, or of those without one. */
export interface ReleaseTrend extends TrendFigures {
  readonly release: string | null;
  /** First and last time of its turns, in epoch milliseconds. */
  readonly first_ms: number;
  readonly last_ms: number;
}

/** The trend of some turns. */
export interface Trend extends TrendFigures {
  /** Empty without a turn. */
  readonly slices: readonly TrendSlice[];
  /** By first appearance; empty where no turn has a release. */
  readonly releases: readonly ReleaseTrend[];
}

/** Share of tool results with a fallback, a limitation or a failure; null without tool results. */
export function troubledShare(of: TrendFigures): number | null {
  return of.tool_results === 0 ? null : (of.tool_limited + of.tool_failed) / of.tool_results;
}

/** Average tokens of a turn with counts, a lower bound where partial; null without any. */
export function tokensPerTurn({ tokens, tokens_turns: turns }: TrendFigures): number | null {
  return tokens === null ? null : tokens / turns;
}

interface Placed {
  readonly atMs: number;
  readonly row: TurnRow;
}

/** The trend of some rows, over a range or from the first of them to the last. */
export function trendOf(
  rows: readonly TurnRow[],
  nowMs: number,
  within?: readonly [number, number],
): Trend {
  const all = rows
    .map((row) => ({ atMs: Date.parse(row.ended_at), row }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
  const placed = within === undefined ? plausibleOf(all, nowMs) : all;
  return {
    ...figuresOf(rows),
    slices: binned(placed, within).map(({ fromMs, toMs, members }) => ({
      from_ms: fromMs,
      to_ms: toMs,
      ...figuresOf(members.map(({ row }) => row)),
    })),
    releases: releasesOf(placed),
  };
}

/** Verdicts and durations of these turns. */
function verdictFigures(rows: readonly TurnRow[]): VerdictFigures {
  const durations = rows.flatMap((row) => lastedMs(row) ?? []);
  const verdicts: Record<string, number> = {};
  for (const { verdict } of rows) {
    const word = verdict ?? "unjudged";
    verdicts[word] = (verdicts[word] ?? 0) + 1;
  }
  return {
    turns: rows.length,
    verdicts,
    p50_ms: nearestRank(durations, 0.5),
    p95_ms: nearestRank(durations, 0.95),
    duration_unknown: rows.length - durations.length,
  };
}

/** For no turns. */
export const noTrendFigures: TrendFigures = figuresOf([]);

function figuresOf(rows: readonly TurnRow[]): TrendFigures {
  const sum = (of: (row: TurnRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  const withTokens = rows.filter((row) => row.input_tokens !== null || row.output_tokens !== null);
  return {
    ...verdictFigures(rows),
    tool_results: sum(({ tools }) => tools.results),
    tool_limited: sum(({ tools }) => tools.fallback + tools.degraded),
    tool_failed: sum(({ tools }) => tools.error + tools.provider_error),
    tokens: withTokens.length === 0 ? null : sum((row) => tokensOf(row)),
    tokens_turns: withTokens.length,
    tokens_partial: rows.some(isPartial),
    cached_share: cachedShare(rows),
  };
}

/** Of input and output tokens, one alone makes their sum a lower bound. */
function isPartial({
  usage_state: state,
  input_tokens: input,
  output_tokens: output,
}: TurnRow): boolean {
  return state === "partial" || (input === null) !== (output === null);
}

function tokensOf({ input_tokens: input, output_tokens: output }: TurnRow): number {
  return (input ?? 0) + (output ?? 0);
}

function cachedShare(rows: readonly TurnRow[]): number | null {
  let [input, cached] = [0, 0];
  for (const row of rows) {
    if (row.input_tokens === null || row.cached_tokens === null) continue;
    input += row.input_tokens;
    cached += row.cached_tokens;
  }
  return input === 0 ? null : cached / input;
}

function releasesOf(placed: readonly Placed[]): readonly ReleaseTrend[] {
  const byRelease = new Map<string | null, Placed[]>();
  for (const one of placed) {
    const { releases } = one.row;
    for (const release of releases.length === 0 ? [null] : releases) {
      const own = byRelease.get(release);
      if (own === undefined) byRelease.set(release, [one]);
      else own.push(one);
    }
  }
  if (byRelease.size === 0 || (byRelease.size === 1 && byRelease.has(null))) return [];
  return [...byRelease]
    .map(([release, own]) => {
      const times = own.map(({ atMs }) => atMs).toSorted((a, b) => a - b);
      const first = times[0] ?? 0;
      return {
        release,
        first_ms: first,
        last_ms: times.at(-1) ?? first,
        ...figuresOf(own.map(({ row }) => row)),
      };
    })
    .toSorted((a, b) => a.first_ms - b.first_ms);
}
