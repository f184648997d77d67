/**
 * @module CohortPairs: pairs of turns to compare, one turn from each side. One pair has the same
 * agent, preferably the same thread or tenant, and the smallest distance in time. One more pair for
 * each agent has the turns whose durations are nearest to the median of their sides.
 */
import { nearestRank } from "@turnproof/semconv";
import type { TurnRow } from "@turnproof/evidence";
import { tenantText } from "@turnproof/store";
import type { TurnQuery, TurnReader } from "@turnproof/store";

import type { CohortPair } from "../ui/display/cohort-figures.ts";
import { lastedMs } from "../ui/display/turn-figures.ts";

/** Turns of each side from which pairs are chosen: the last of A and the first of B. */
const candidatesMax = 200;
const agentsMax = 3;

/** Pairs of two sides among these agents, which both have. */
export async function cohortPairs(
  ledger: TurnReader,
  { a, b }: { readonly a: TurnQuery; readonly b: TurnQuery },
  agents: readonly string[],
): Promise<readonly CohortPair[]> {
  if (agents.length === 0) return [];
  const any = agents.map((is) => ({ text: "agent_id" as const, is }));
  const read = async (query: TurnQuery, ascending: boolean): Promise<readonly TurnRow[]> => {
    const order = { by: "ended_at" as const, ...(ascending ? { ascending: true as const } : {}) };
    const { records } = await ledger.listTurns(
      { ...query, where: [...query.where, { any }] },
      { order, limit: candidatesMax },
    );
    return records.map(({ row }) => row).filter(isPlaced);
  };
  const [before, of] = await Promise.all([read(a, false), read(b, true)]);
  return pairsOf(before, of);
}

function isPlaced({ agent_id: agent, root_trace_id: root }: TurnRow): boolean {
  return agent !== undefined && root !== undefined;
}

/** The pairs among these turns, each once. */
export function pairsOf(before: readonly TurnRow[], of: readonly TurnRow[]): readonly CohortPair[] {
  const called = (all: readonly TurnRow[]): readonly TurnRow[] =>
    all.filter(({ models }) => models.length > 0);
  // An answer from the cache shows nothing of what a release changed.
  const nearest = nearestPair(called(before), called(of)) ?? nearestPair(before, of);
  const agents = [...new Set(of.map(({ agent_id: agent }) => agent))].slice(0, agentsMax);
  const typical = agents.flatMap((agent) => {
    const own = (all: readonly TurnRow[]): readonly TurnRow[] =>
      all.filter((row) => row.agent_id === agent);
    const [left, right] = [middling(own(before)), middling(own(of))];
    return left === undefined || right === undefined
      ? []
      : [pairOf("median duration", left, right)];
  });
  const found = [...(nearest === undefined ? [] : [nearest]), ...typical];
  const seen = new Set<string>();
  return found.filter(({ baseline_root: a, candidate_root: b }) => {
    const key = `${a} ${b}`;
    if (a === b || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function pairOf(why: string, a: TurnRow, b: TurnRow): CohortPair {
  return {
    why,
    agent_id: b.agent_id ?? "",
    baseline_root: a.root_trace_id ?? "",
    candidate_root: b.root_trace_id ?? "",
  };
}

/** The turn whose duration is nearest to the median; the first where none has one. */
export function middling(rows: readonly TurnRow[]): TurnRow | undefined {
  const timed = rows.flatMap((row) => {
    const ms = lastedMs(row);
    return ms === null ? [] : [{ row, ms }];
  });
  const median = nearestRank(
    timed.map(({ ms }) => ms),
    0.5,
  );
  if (median === null) return rows[0];
  return timed.toSorted((x, y) => Math.abs(x.ms - median) - Math.abs(y.ms - median))[0]?.row;
}

/** Key that both turns of a pair share; undefined excludes a turn. */
type Kind = (row: TurnRow) => string | undefined;

const kinds: readonly (readonly [why: string, kind: Kind])[] = [
  [
    "of one thread, nearest in time",
    (row) => (row.thread_id ? `${tenantText(row.user_id)} ${row.thread_id}` : undefined),
  ],
  ["of one tenant, nearest in time", (row) => tenantText(row.user_id)],
];

function nearestPair(before: readonly TurnRow[], of: readonly TurnRow[]): CohortPair | undefined {
  for (const [why, kind] of kinds) {
    const key = (row: TurnRow): string | undefined => {
      const shared = kind(row);
      return shared === undefined ? undefined : JSON.stringify([row.agent_id, shared]);
    };
    const byKey = Map.groupBy(before, key);
    let best: { readonly gapMs: number; readonly pair: CohortPair } | undefined;
    for (const row of of) {
      const shared = key(row);
      for (const earlier of shared === undefined ? [] : (byKey.get(shared) ?? [])) {
        if (earlier.root_trace_id === row.root_trace_id) continue;
        const gapMs = Math.abs(Date.parse(row.ended_at) - Date.parse(earlier.ended_at));
        if (best === undefined || gapMs < best.gapMs)
          best = { gapMs, pair: pairOf(why, earlier, row) };
      }
    }
    if (best !== undefined) return best.pair;
  }
  return undefined;
}
