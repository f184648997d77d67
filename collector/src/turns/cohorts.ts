/**
 * @module Cohorts: two groups of turns compared, as those of two releases: verdicts, findings,
 * durations, tokens, cost, tools, cache and memory supply, over all turns of either.
 */
import { findingTexts } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";
import type { FigureGroup, TurnQuery, TurnReader } from "@turnproof/store";

import type { PriceList } from "../cost/price-list.ts";
import type { MeanCosts } from "../cost/turn-means.ts";
import { callTerm } from "../ui/display/call-term.ts";
import type { CohortGroup, CohortPair, CohortSide } from "../ui/display/cohort-figures.ts";
import { termText } from "../ui/display/filter-terms.ts";
import { reasonText } from "../ui/display/kind-texts.ts";
import { verdictTexts } from "../ui/display/trend.ts";
import { cohortPairs } from "./cohort-pairs.ts";
import { corrected, percentileRow, ratioRow, shareRow } from "./cohort-rows.ts";
import type { Untested } from "./cohort-rows.ts";
import {
  cachedSums,
  costSums,
  durationsOf,
  partOf,
  readCohort,
  tokenSums,
  toolNames,
  toolSums,
} from "./cohort-side.ts";
import type { CohortRead } from "./cohort-side.ts";
import { releaseReaders } from "./release-readers.ts";
import type { SideReader } from "./release-readers.ts";

/** One side in numbers. */
export interface CohortExtent {
  readonly turns: number;
  /** Last event of its first and last turn, in epoch milliseconds. */
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

/** The turns of one agent on either side. */
export interface CohortAgent extends Pick<Identity, "agent_id"> {
  readonly a: number;
  readonly b: number;
}

/** A comparison. */
export interface Cohorts {
  readonly a: CohortExtent;
  readonly b: CohortExtent;
  /** Turns that are on both sides, counted in each. */
  readonly both: number;
  /** Agents by their turns, those of both sides first. */
  readonly agents: readonly CohortAgent[];
  readonly groups: readonly CohortGroup[];
  /** Number of tested figures. */
  readonly tested: number;
  /** Length of the intervals of time that ratios are estimated from. */
  readonly slice_ms: number;
  readonly pairs: readonly CohortPair[];
}

const minuteMs = 60_000;
/** Divisors of a day, so that no interval has the prices of two days. */
const sliceLengths = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1_440].map((one) => one * minuteMs);
const slicesMax = 150;
const rowsMax = 15;
const agentsMax = 12;

/** What was read before: the filters of both sides, and the figures of a side that is a release. */
export interface KnownSides {
  readonly common: TurnQuery;
  readonly a: FigureGroup | undefined;
  readonly b: FigureGroup | undefined;
}

/** Compares all turns of two queries. */
export async function compareCohorts(
  ledger: TurnReader,
  sides: { readonly a: TurnQuery; readonly b: TurnQuery },
  list: PriceList,
  known?: KnownSides,
): Promise<Cohorts> {
  const both = { ...sides.a, where: [...sides.a.where, ...sides.b.where] };
  const [[first], [second], shared] = await Promise.all([
    known?.a === undefined ? ledger.turnFigures(sides.a, {}) : [known.a],
    known?.b === undefined ? ledger.turnFigures(sides.b, {}) : [known.b],
    ledger.countTurns(both),
  ]);
  const extents = [first, second].flatMap((one) => (one === undefined ? [] : [one]));
  const spanMs =
    Math.max(...extents.map(({ last_at: at, first_at: from }) => (at ?? 0) - (from ?? 0)), 0) /
    1_000;
  const everyMs = sliceLengths.find((one) => spanMs / one <= slicesMax) ?? 1_440 * minuteMs;
  const readers = readersOf(ledger, sides, known);
  const [a, b] = await Promise.all([
    readCohort(readers.a, sides.a, { total: first, everyMs, list }),
    readCohort(readers.b, sides.b, { total: second, everyMs, list }),
  ]);
  const agents = agentsOf(a, b);
  const common = agents.filter((one) => one.a > 0 && one.b > 0).slice(0, agentsMax);
  const pairs = await cohortPairs(
    ledger,
    sides,
    common.map(({ agent_id: agent }) => agent),
  );
  return {
    a: extentOf(a),
    b: extentOf(b),
    both: shared,
    agents: agents.slice(0, agentsMax),
    ...corrected(groupsOf(a, b)),
    slice_ms: everyMs,
    pairs,
  };
}

function readersOf(
  ledger: TurnReader,
  { a, b }: { readonly a: TurnQuery; readonly b: TurnQuery },
  known: KnownSides | undefined,
): { readonly a: SideReader; readonly b: SideReader } {
  const [left, right] = [known?.a?.value, known?.b?.value];
  if (known === undefined || typeof left !== "string" || typeof right !== "string") {
    return { a: ledger, b: ledger };
  }
  return releaseReaders(ledger, known.common, {
    a: { query: a, release: left },
    b: { query: b, release: right },
  });
}

function extentOf({ total }: CohortRead): CohortExtent {
  const ms = (at: number | null | undefined): number | null =>
    typeof at === "number" ? Math.floor(at / 1_000) : null;
  return { turns: total?.turns ?? 0, first_ms: ms(total?.first_at), last_ms: ms(total?.last_at) };
}

function agentsOf(a: CohortRead, b: CohortRead): readonly CohortAgent[] {
  return valuesOf([a, b], "agent_id")
    .map((agent) => ({
      agent_id: agent,
      a: partOf(a, "agent_id", agent).hits,
      b: partOf(b, "agent_id", agent).hits,
    }))
    .toSorted((x, y) => Math.min(y.a, y.b) - Math.min(x.a, x.b) || y.a + y.b - x.a - x.b);
}

function groupsOf(
  a: CohortRead,
  b: CohortRead,
): readonly { readonly name: string; readonly rows: readonly Untested[] }[] {
  const shares = (field: string, key: string, nameOf: (value: string) => string = String) =>
    valuesOf([a, b], field).map((value) =>
      shareRow(nameOf(value), partOf(a, field, value), partOf(b, field, value), termOf(key, value)),
    );
  const flag = (name: string, value: string): Untested =>
    shareRow(name, partOf(a, "flag", value), partOf(b, "flag", value), termOf("has", value));
  return [
    {
      name: "Verdicts",
      rows: shares("verdict", "verdict").toSorted(
        (one, other) => verdictTexts.indexOf(one.name) - verdictTexts.indexOf(other.name),
      ),
    },
    {
      name: "Errors and findings",
      rows: [
        flag("with an error", "error"),
        ...valuesOf([a, b], "code")
          .filter((code) => Object.hasOwn(findingTexts, code))
          .slice(0, rowsMax)
          .map((code) =>
            shareRow(
              reasonText(code),
              partOf(a, "code", code),
              partOf(b, "code", code),
              termOf("finding", code),
            ),
          ),
      ],
    },
    { name: "Duration of a turn", rows: durationRows(a, b) },
    {
      name: "Tokens and cost of a turn",
      rows: [
        ratioRow(
          "input tokens",
          "count",
          sumsOf(a, b, (of) => tokenSums(of, "input")),
        ),
        ratioRow(
          "output tokens",
          "count",
          sumsOf(a, b, (of) => tokenSums(of, "output")),
        ),
        ratioRow("input tokens from a cache", "share", sumsOf(a, b, cachedSums)),
        costRow(a, b),
      ].filter(isReported),
    },
    { name: "Models", rows: shares("model", "model").slice(0, rowsMax) },
    { name: "Tools", rows: toolRows(a, b) },
    { name: "Cache", rows: shares("cache_decision", "cache") },
    {
      name: "Memory supply",
      rows: [
        shareRow("memory supplied", a.supplied, b.supplied, "has:memory"),
        flag("memory degraded", "degraded"),
      ],
    },
  ];
}

function sumsOf<T>(a: CohortRead, b: CohortRead, read: (of: CohortRead) => T): { a: T; b: T } {
  return { a: read(a), b: read(b) };
}

function isReported({ a, b, unit }: Untested): boolean {
  if (a.value !== null || b.value !== null) return true;
  return unit === "usd" && a.of + b.of > 0;
}

/** Values of a field on either side, most frequent first. */
function valuesOf(sides: readonly CohortRead[], field: string): readonly string[] {
  const turns = new Map<string, number>();
  for (const one of sides.flatMap(({ facets }) => facets.get(field)?.values ?? [])) {
    if (one.value !== null) turns.set(one.value, (turns.get(one.value) ?? 0) + one.turns);
  }
  return [...turns]
    .toSorted((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1))
    .map(([value]) => value);
}

function termOf(key: string, value: string): string | null {
  if (value.includes('"') || (key === "cache" && value === "none")) return null;
  return termText({ key, value, negated: false });
}

function durationRows(a: CohortRead, b: CohortRead): readonly Untested[] {
  const [left, right] = [durationsOf(a), durationsOf(b)];
  return (
    [
      [0.5, "p50_ms"],
      [0.95, "p95_ms"],
      [0.99, "p99_ms"],
    ] as const
  ).map(([share, field]) =>
    percentileRow(
      share,
      { ...left, value: a.total?.[field] ?? null },
      { ...right, value: b.total?.[field] ?? null },
    ),
  );
}

/** Where the cost of a turn is not exactly known, its side has bounds, and nothing is tested. */
function costRow(a: CohortRead, b: CohortRead): Untested {
  const row = ratioRow("US dollars", "usd", sumsOf(a, b, costSums));
  if (a.costs.inexact + b.costs.inexact === 0) return row;
  const side = ({ costs }: CohortRead, exact: CohortSide): CohortSide =>
    costs.inexact === 0 ? exact : boundedSide(costs);
  const untested = { difference: null, low: null, high: null, p: null };
  return { ...row, a: side(a, row.a), b: side(b, row.b), ...untested };
}

/** The mean of all turns with a model call lies between these bounds. */
function boundedSide({ turns, inexact, bounds }: MeanCosts): CohortSide {
  const { low = null, high = null } = bounds ?? {};
  return {
    value: null,
    low: low === null ? null : low / turns,
    high: high === null ? null : high / turns,
    of: turns,
    hits: null,
    unknown: inexact,
  };
}

function toolRows(a: CohortRead, b: CohortRead): readonly Untested[] {
  const rows = (tool?: string): readonly Untested[] =>
    (["failed", "limited"] as const).map((ended) => {
      const requested = { kind: "tool", outcome: "failed" } as const;
      const term =
        ended === "failed"
          ? callTerm(tool === undefined ? requested : { ...requested, name: tool })
          : undefined;
      return ratioRow(
        `${tool ?? "all calls"}: ${ended === "failed" ? "failed" : "fallback, degraded or empty"}`,
        "share",
        sumsOf(a, b, (of) => toolSums(of, ended, tool)),
        term === undefined ? null : termOf("call", term),
      );
    });
  return [undefined, ...toolNames([a, b], 8)]
    .flatMap((tool) => rows(tool))
    .filter((row) => (row.a.value ?? 0) + (row.b.value ?? 0) > 0);
}
