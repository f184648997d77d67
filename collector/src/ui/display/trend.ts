/**
 * @module Trend: how some turns fared over time and under which release: verdicts, durations, tools
 * and tokens of each stretch, with what is unknown counted beside what is known. A release that
 * comes later names two turns to compare, one from before it and one of it.
 */
import type { TurnRow } from "@turnproof/evidence";
import { verdictStatuses } from "@turnproof/semconv";

import { plausibleOf } from "./plausible-time.ts";
import { binned, lastedMs, quantile } from "./turn-figures.ts";

/** What a turn can have for a verdict, the quiet first; `unjudged` is none. */
export const verdictWords: readonly string[] = [...verdictStatuses, "unjudged"];

/** How some turns ended, and how long they took; null is unknown, never zero. */
export interface TurnsFared {
  readonly turns: number;
  /** Turns by the judge's verdict, `unjudged` where there is none. */
  readonly verdicts: Readonly<Record<string, number>>;
  /** Milliseconds within which half and 95 of 100 turns of known duration ended. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** Turns of unknown duration. */
  readonly duration_unknown: number;
}

/** What some turns amount to. */
export interface TrendFigures extends TurnsFared {
  /** Tool results, those with a fallback or a limitation, and those that failed. */
  readonly tool_results: number;
  readonly tool_limited: number;
  readonly tool_failed: number;
  /** Tokens in and out of the turns that said them, and how many turns that were. */
  readonly tokens: number | null;
  readonly tokens_turns: number;
  /** True when some call of these turns did not say its tokens. */
  readonly tokens_partial: boolean;
  /** Share of tokens in that came from a cache, over the turns that said both. */
  readonly cached_share: number | null;
}

/** One stretch of time, in epoch milliseconds, by the last events of its turns. */
export interface TrendSlice extends TrendFigures {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Turns of one release, or of those that say none. */
export interface ReleaseTrend extends TrendFigures {
  readonly release: string | null;
  /** First and last time of its turns, in epoch milliseconds. */
  readonly first_ms: number;
  readonly last_ms: number;
  /** A turn from before the release and one of it; null where nothing came before. */
  readonly change: Change | null;
}

/** Two roots of one agent to be compared. */
export interface Change {
  readonly agent_id: string;
  readonly baseline_root: string;
  readonly candidate_root: string;
}

/** How turns fared. */
export interface Trend extends TrendFigures {
  /** Empty without a turn. */
  readonly slices: readonly TrendSlice[];
  /** By first appearance; empty where no turn says a release. */
  readonly releases: readonly ReleaseTrend[];
}

/** Tool results with a fallback, a limitation or a failure; null where no tool gave a result. */
export function troubledShare(of: TrendFigures): number | null {
  return of.tool_results === 0 ? null : (of.tool_limited + of.tool_failed) / of.tool_results;
}

/** Tokens in and out of a turn, on average over those that said; null where none did. */
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

/** How these turns fared. */
function faredOf(rows: readonly TurnRow[]): TurnsFared {
  const durations = rows.flatMap((row) => lastedMs(row) ?? []);
  const verdicts: Record<string, number> = {};
  for (const { verdict } of rows) {
    const word = verdict ?? "unjudged";
    verdicts[word] = (verdicts[word] ?? 0) + 1;
  }
  return {
    turns: rows.length,
    verdicts,
    p50_ms: quantile(durations, 0.5),
    p95_ms: quantile(durations, 0.95),
    duration_unknown: rows.length - durations.length,
  };
}

/** Of no turn. */
export const nothingFared: TrendFigures = figuresOf([]);

function figuresOf(rows: readonly TurnRow[]): TrendFigures {
  const sum = (of: (row: TurnRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  const said = rows.filter((row) => row.input_tokens !== null || row.output_tokens !== null);
  return {
    ...faredOf(rows),
    tool_results: sum(({ tools }) => tools.results),
    tool_limited: sum(({ tools }) => tools.fallback + tools.degraded),
    tool_failed: sum(({ tools }) => tools.error + tools.provider_error),
    tokens: said.length === 0 ? null : sum((row) => tokensOf(row)),
    tokens_turns: said.length,
    tokens_partial: rows.some((row) => row.usage_state === "partial"),
    cached_share: cachedShare(rows),
  };
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
        change: release === null ? null : changeAround(placed, release, first),
        ...figuresOf(own.map(({ row }) => row)),
      };
    })
    .toSorted((a, b) => a.first_ms - b.first_ms);
}

function changeAround(placed: readonly Placed[], release: string, first: number): Change | null {
  const rowsOf = (keeps: (one: Placed) => boolean): TurnRow[] =>
    placed.filter(keeps).map(({ row }) => row);
  const isOf = ({ row }: Placed): boolean => row.releases.includes(release);
  return changeOf(
    rowsOf((one) => one.atMs < first && !isOf(one)),
    rowsOf(isOf),
  );
}

/**
 * Of the turns before a release and the turns of it, the two that lie closest together: of one
 * thread where some thread has both, else of one tenant, and always of one agent. Turns that called
 * a model come first: an answer from the cache shows nothing of what a release changed.
 */
export function changeOf(before: readonly TurnRow[], of: readonly TurnRow[]): Change | null {
  const pair = (rows: (all: readonly TurnRow[]) => readonly TurnRow[]): Change | undefined => {
    const [earlier, later] = [rows(before).map(placedOf), rows(of).map(placedOf)];
    return (
      closest(earlier, later, ({ user_id, thread_id }) => thread_id && [user_id, thread_id]) ??
      closest(earlier, later, ({ user_id }) => [user_id])
    );
  };
  const called = (all: readonly TurnRow[]): readonly TurnRow[] =>
    all.filter(({ models }) => models.length > 0);
  return pair(called) ?? pair((all) => all) ?? null;
}

function placedOf(row: TurnRow): Placed {
  return { atMs: Date.parse(row.ended_at), row };
}

/** By what a pair must be of one kind; undefined or empty leaves a turn out. */
type Kind = (row: TurnRow) => readonly unknown[] | string | undefined;

function closest(
  before: readonly Placed[],
  of: readonly Placed[],
  kindOf: Kind,
): Change | undefined {
  const keyOf = ({ row }: Placed): string | undefined => {
    const kind = kindOf(row);
    if (!kind || row.agent_id === undefined || row.root_trace_id === undefined) return undefined;
    return JSON.stringify([row.agent_id, kind, row.user_id === undefined]);
  };
  const latest = new Map<string, Placed>();
  for (const one of before) {
    const key = keyOf(one);
    if (key !== undefined && one.atMs >= (latest.get(key)?.atMs ?? -Infinity)) latest.set(key, one);
  }
  let best: { readonly gapMs: number; readonly change: Change } | undefined;
  for (const one of of) {
    const earlier = latest.get(keyOf(one) ?? "");
    const { agent_id: agent, root_trace_id: candidate } = one.row;
    const baseline = earlier?.row.root_trace_id;
    if (earlier === undefined || agent === undefined || candidate === undefined) continue;
    if (baseline === undefined || baseline === candidate) continue;
    const gapMs = one.atMs - earlier.atMs;
    if (best !== undefined && best.gapMs <= gapMs) continue;
    best = {
      gapMs,
      change: { agent_id: agent, baseline_root: baseline, candidate_root: candidate },
    };
  }
  return best?.change;
}
