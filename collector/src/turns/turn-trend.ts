/**
 * @module TurnTrend: figures of the turns of a query, by time interval and by release, computed
 * by the store over all of them.
 */
import type { TurnCondition, TurnFigures, TurnQuery, TurnReader } from "@turnproof/store";

import { noTrendFigures } from "../ui/display/trend.ts";
import type { ReleaseTrend, Trend, TrendFigures } from "../ui/display/trend.ts";
import { hasHalfCounted } from "./half-counted.ts";
import { turnSeries } from "./turn-series.ts";
import type { SeriesOptions } from "./turn-series.ts";

/** The trend of all turns of a query. */
export async function turnTrend(
  ledger: TurnReader,
  query: TurnQuery,
  options: SeriesOptions,
): Promise<Trend> {
  const { total, drawn, frame, bars } = await turnSeries(
    (requested, by) => ledger.turnFigures(requested, by),
    query,
    options,
  );
  if (total === undefined) return { ...noTrendFigures, slices: [], releases: [] };
  const partial = withPartial(query);
  const everyMs = frame?.stepMs;
  const [some, stretches] = await Promise.all([
    ledger.countTurns(partial),
    everyMs === undefined ? [] : ledger.turnFigures(withPartial(drawn), { everyMs }),
  ]);
  const partialAt = new Set(stretches.map(({ from_ms: from }) => from));
  return {
    ...trendFigures(total, some > 0),
    slices: bars.map(({ fromMs, toMs, figures }) => ({
      from_ms: fromMs,
      to_ms: toMs,
      ...(figures === undefined ? noTrendFigures : trendFigures(figures, partialAt.has(fromMs))),
    })),
    releases: await releasesOf(ledger, drawn),
  };
}

function withPartial(query: TurnQuery): TurnQuery {
  return withCondition(query, { text: "usage_state", is: "partial" });
}

function withCondition(query: TurnQuery, ...more: readonly TurnCondition[]): TurnQuery {
  return { ...query, where: [...query.where, ...more] };
}

/** Figures of the ledger in the trend's form. */
function trendFigures(of: TurnFigures, partial: boolean): TrendFigures {
  const { input_tokens: input, output_tokens: output, cached_of_tokens: cachedOf } = of;
  return {
    turns: of.turns,
    verdicts: of.verdicts,
    p50_ms: of.p50_ms,
    p95_ms: of.p95_ms,
    duration_unknown: of.duration_unknown,
    tool_results: of.tool_results,
    tool_limited: of.tool_limited,
    tool_failed: of.tool_failed,
    tokens: input === null && output === null ? null : (input ?? 0) + (output ?? 0),
    tokens_turns: of.turns - of.tokens_unknown,
    tokens_partial: partial || hasHalfCounted(of),
    cached_share: cachedOf === null || cachedOf === 0 ? null : (of.cached_tokens ?? 0) / cachedOf,
  };
}

async function releasesOf(ledger: TurnReader, query: TurnQuery): Promise<readonly ReleaseTrend[]> {
  const groups = await ledger.turnFigures(query, { by: "release" });
  if (groups.every(({ value }) => value === null)) return [];
  const partial = new Set(
    (await ledger.turnFigures(withPartial(query), { by: "release" })).map(({ value }) => value),
  );
  const ordered = groups.toSorted((a, b) => (a.first_at ?? 0) - (b.first_at ?? 0));
  return ordered.map((group) => ({
    release: group.value ?? null,
    first_ms: Math.floor((group.first_at ?? 0) / 1_000),
    last_ms: Math.floor((group.last_at ?? 0) / 1_000),
    ...trendFigures(group, partial.has(group.value)),
  }));
}
