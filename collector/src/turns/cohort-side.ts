/**
 * @module CohortSide: the ledger's figures of one of two compared groups of turns, over all of
 * them: counts by value, and sums by interval of time.
 */
import type { CallFigures, FigureGroup, TurnFacet, TurnQuery } from "@turnproof/store";

import type { PriceList } from "../cost/price-list.ts";
import { meanCosts, noMeanCosts } from "../cost/turn-means.ts";
import type { MeanCosts } from "../cost/turn-means.ts";
import { failedOf } from "./call-rows.ts";
import type { CohortPart, Durations, Sums } from "./cohort-rows.ts";
import type { SideReader } from "./release-readers.ts";

/** What is read of one side. */
export interface CohortRead {
  readonly total: FigureGroup | undefined;
  readonly facets: ReadonlyMap<string, TurnFacet>;
  readonly supplied: CohortPart;
  readonly slices: readonly FigureGroup[];
  readonly toolSlices: readonly CallFigures[];
  readonly costs: MeanCosts;
}

const facetFields = [
  "agent_id",
  "verdict",
  "code",
  "cache_decision",
  "flag",
  "model",
  "tool_name",
  "duration_class",
] as const;
/** There are fewer codes, and more classes of durations than any turn has. */
const valuesMax = 500;

/** How a side is read. */
interface CohortReading {
  /** Figures of all its turns; undefined without a turn. */
  readonly total: FigureGroup | undefined;
  /** Length of the intervals of time, a divisor of a day. */
  readonly everyMs: number;
  readonly list: PriceList;
}

const nothing = {
  facets: new Map(),
  slices: [],
  toolSlices: [],
  costs: noMeanCosts,
} as const;

/** Reads the rest of one side; one without turns needs no statement. */
export async function readCohort(
  ledger: SideReader,
  query: TurnQuery,
  { total, everyMs, list }: CohortReading,
): Promise<CohortRead> {
  const turns = total?.turns ?? 0;
  if (turns === 0) return { total, ...nothing, supplied: { hits: 0, of: 0, unknown: 0 } };
  const supplied = (sign: ">=" | "="): Promise<number> =>
    ledger.countTurns({
      ...query,
      where: [...query.where, { number: "memory_supplied", sign, value: sign === "=" ? 0 : 1 }],
    });
  const [facets, some, none, slices, toolSlices, costs] = await Promise.all([
    ledger.turnFacets(query, facetFields, valuesMax),
    supplied(">="),
    supplied("="),
    ledger.turnFigures(query, { everyMs }),
    ledger.callFigures(query, "tool", ["name"], { everyMs }),
    meanCosts(ledger, query, { list, everyMs }),
  ]);
  return {
    total,
    facets: new Map(facets.map((facet) => [facet.field, facet])),
    supplied: { hits: some, of: some + none, unknown: Math.max(0, turns - some - none) },
    slices,
    toolSlices,
    costs,
  };
}

/** Turns of one side with a value of a field; every turn records whether it has one. */
export function partOf({ facets, total }: CohortRead, field: string, value: string): CohortPart {
  const turns = facets.get(field)?.values.find((one) => one.value === value)?.turns ?? 0;
  return { hits: turns, of: total?.turns ?? 0 };
}

/** Durations by class, without those of unknown duration. */
export function durationsOf({ facets, total }: CohortRead): Durations {
  const values = facets.get("duration_class")?.values ?? [];
  return {
    classes: new Map(
      values.flatMap(({ value, turns }) => (value === null ? [] : [[Number(value), turns]])),
    ),
    unknown: total?.duration_unknown ?? 0,
  };
}

/** Tokens of the turns that count these, whether or not they count the others. */
export function tokenSums({ slices, total }: CohortRead, of: "input" | "output"): Sums {
  return {
    parts: slices.map((slice) => ({
      part: slice[`${of}_tokens`] ?? 0,
      whole: slice.turns - slice[`${of}_unknown`],
    })),
    unknown: total?.[`${of}_unknown`] ?? 0,
  };
}

/** Input tokens from a cache, of the turns with both counts. */
export function cachedSums({ slices, total }: CohortRead): Sums {
  return {
    parts: slices.map(({ cached_tokens: part, cached_of_tokens: whole }) => ({
      part: part ?? 0,
      whole: whole ?? 0,
    })),
    unknown: total?.cached_unknown ?? 0,
  };
}

/** Dollars of the turns with a model call; the others have no cost that is known. */
export function costSums({ total, costs: { turns, slices } }: CohortRead): Sums {
  return {
    parts: [...slices.values()].map(({ usd: part, turns: whole }) => ({ part, whole })),
    unknown: Math.max(0, (total?.turns ?? 0) - turns),
  };
}

/** Calls that ended so, of all calls of a tool, or of every tool. */
export function toolSums(
  { toolSlices }: CohortRead,
  ended: "failed" | "limited",
  tool?: string,
): Sums {
  const slices = new Map<number, { part: number; whole: number }>();
  for (const { group, from_ms: from = 0, calls, outcomes } of toolSlices) {
    if (tool !== undefined && group.name !== tool) continue;
    const slice = slices.get(from) ?? { part: 0, whole: 0 };
    const limited = ["fallback", "degraded", "empty"].reduce(
      (sum, word) => sum + (outcomes[word] ?? 0),
      0,
    );
    slice.part += ended === "failed" ? failedOf(outcomes) : limited;
    slice.whole += calls - (outcomes["unknown"] ?? 0);
    slices.set(from, slice);
  }
  return { parts: [...slices.values()], unknown: unknownCalls(toolSlices, tool), counted: true };
}

function unknownCalls(slices: readonly CallFigures[], tool: string | undefined): number {
  return slices
    .filter(({ group }) => tool === undefined || group.name === tool)
    .reduce((sum, { outcomes }) => sum + (outcomes["unknown"] ?? 0), 0);
}

/** Tools by their calls of both sides, most called first. */
export function toolNames(sides: readonly CohortRead[], max: number): readonly string[] {
  const calls = new Map<string, number>();
  for (const { group, calls: own } of sides.flatMap(({ toolSlices }) => toolSlices)) {
    if (typeof group.name === "string") calls.set(group.name, (calls.get(group.name) ?? 0) + own);
  }
  return [...calls]
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, max)
    .map(([name]) => name);
}
