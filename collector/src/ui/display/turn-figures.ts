/**
 * @module TurnFigures: derived values of a list of turns: completeness against the declared
 * profile, findings by priority, scales, bins of the histogram, words of facets.
 */
import { nearestRank } from "@turnproof/semconv";
import { coverageProfiles, stageKind } from "@turnproof/evidence";
import type { TurnRow } from "@turnproof/evidence";

import { countedText } from "./figures.ts";
import { findingPriority } from "./kind-texts.ts";
import { plausibleOf } from "./plausible-time.ts";

/** Key of a row among others; a root can have several turns. */
export function rowKey(row: TurnRow): string {
  return JSON.stringify([
    row.root_trace_id ?? "",
    row.turn_id ?? "",
    row.agent_id ?? "",
    row.thread_id ?? "",
    row.user_id === undefined ? [] : [row.user_id],
  ]);
}

/** Number of stages that the turn's profiles require, and of those recorded. */
export interface Completeness {
  readonly present: number;
  readonly required: number;
  readonly missing: readonly string[];
}

/** Null where no profile is declared, or an unknown one. */
export function completenessOf(row: TurnRow): Completeness | null {
  const stages = new Set<string>();
  for (const profile of row.coverage_profiles) {
    for (const stage of coverageProfiles.get(profile) ?? [`profile:${profile}`]) stages.add(stage);
  }
  if (stages.size === 0) return null;
  const counts: { readonly [kind: string]: number | undefined } = row.event_kind_counts;
  const missing = [...stages].filter((stage) => !counts[stageKind(stage)]);
  return { present: stages.size - missing.length, required: stages.size, missing };
}

/** Number of finding codes by priority 0, 1, 2; null while not judged. */
export function findingsByPriority(
  codes: readonly string[] | null,
): readonly [number, number, number] | null {
  if (codes === null) return null;
  const counts: [number, number, number] = [0, 0, 0];
  for (const code of codes) counts[findingPriority(code)] += 1;
  return counts;
}

/** True for a partial turn without a finding: its evidence is lost or missing. */
export function isUnproven(row: Pick<TurnRow, "verdict" | "finding_codes">): boolean {
  return row.verdict === "partial" && (row.finding_codes ?? []).length === 0;
}

/**
 * Duration of a turn, or null where it never ended or has no extent: the time so far is no
 * duration.
 */
export function lastedMs({ duration_ms: ms, timing_state: state }: TurnRow): number | null {
  return state === "missing_completion" || state === "instantaneous" ? null : ms;
}

/** Scales of the rows of one list. */
export interface RowScale {
  /** Duration of a full bar where an agent has no p95 of its own. */
  readonly fullMs: number;
  /** By agent, with at least five known durations. */
  readonly p95Ms: ReadonlyMap<string, number>;
}

const p95Min = 5;
/** A full bar relative to the p95; the few longer ones are drawn as cut. */
const headroom = 1.25;

/** The scale of a list. */
export function rowScale(rows: readonly TurnRow[]): RowScale {
  const byAgent = new Map<string, number[]>();
  const all: number[] = [];
  for (const row of rows) {
    const ms = lastedMs(row);
    if (ms === null) continue;
    all.push(ms);
    const durations = byAgent.get(row.agent_id ?? "") ?? [];
    durations.push(ms);
    byAgent.set(row.agent_id ?? "", durations);
  }
  const p95Ms = new Map<string, number>();
  for (const [agent, durations] of byAgent) {
    const p95 = nearestRank(durations, 0.95);
    if (p95 !== null && durations.length >= p95Min) p95Ms.set(agent, p95);
  }
  const fullMs = Math.min(nearestRank(all, 1) ?? 0, (nearestRank(all, 0.95) ?? 0) * headroom);
  return { fullMs, p95Ms };
}

/**
 * Scale of a turn's bar: its agent's own p95, because a fast agent's slow turn would be invisible
 * beside a slow agent's fast one.
 */
export function durationScale(
  scale: RowScale,
  agentId: string | undefined,
): { readonly scaleMs: number; readonly p95Ms: number | null } {
  const p95Ms = scale.p95Ms.get(agentId ?? "") ?? null;
  return { scaleMs: p95Ms === null ? scale.fullMs : p95Ms * headroom, p95Ms };
}

/** One bar of the histogram; times are epoch milliseconds. */
export interface Bin {
  readonly fromMs: number;
  readonly toMs: number;
  readonly turns: number;
  readonly errors: number;
}

const steps = [
  100, 250, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
];
const binsMax = 72;

/** Turns at one time. */
interface TurnsAt {
  readonly atMs: number;
  readonly turns: number;
  readonly errors: number;
}

/** Turns over time, by the last event of each; one with an implausible clock is left out. */
export function binsOf(rows: readonly TurnRow[], nowMs: number): Bin[] {
  const counts = rows
    .map((row) => ({ atMs: Date.parse(row.ended_at), turns: 1, errors: row.has_error ? 1 : 0 }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
  return binsOfCounts(plausibleOf(counts, nowMs));
}

/** Bars of one length, as many as fit into a chart. */
export interface BinFrame {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly size: number;
}

/** The bars between two times; each begins at a multiple of its length. */
export function binFrame(first: number, last: number): BinFrame {
  const span = Math.max(last - first, 1);
  const stepMs =
    steps.find((size) => span / size < binsMax) ??
    Math.ceil(span / binsMax / 86_400_000) * 86_400_000;
  const fromMs = Math.floor(first / stepMs) * stepMs;
  return { fromMs, stepMs, size: Math.max(1, Math.floor((last - fromMs) / stepMs) + 1) };
}

/** Counts over their time range or a given one; counts outside of it are left out. */
function binsOfCounts(counts: readonly TurnsAt[], within?: readonly [number, number]): Bin[] {
  if (counts.length === 0) return [];
  const first = within?.[0] ?? counts.reduce((least, { atMs }) => Math.min(least, atMs), Infinity);
  const last = within?.[1] ?? counts.reduce((most, { atMs }) => Math.max(most, atMs), -Infinity);
  const { fromMs: from, stepMs: step, size } = binFrame(first, last);
  const bins = Array.from({ length: size }, (_, index) => ({
    fromMs: from + index * step,
    toMs: from + (index + 1) * step,
    turns: 0,
    errors: 0,
  }));
  for (const { atMs, turns, errors } of counts) {
    const bin = bins[Math.floor((atMs - from) / step)];
    if (bin === undefined) continue;
    bin.turns += turns;
    bin.errors += errors;
  }
  return bins;
}

/** Items in each bin of the histogram; those outside of the range are left out. */
export function binned<T extends { readonly atMs: number }>(
  all: readonly T[],
  within?: readonly [number, number],
): readonly { readonly fromMs: number; readonly toMs: number; readonly members: readonly T[] }[] {
  const counts = all.map(({ atMs }) => ({ atMs, turns: 1, errors: 0 }));
  const bins = binsOfCounts(counts, within).map(({ fromMs, toMs }) => ({
    fromMs,
    toMs,
    members: [] as T[],
  }));
  const [first] = bins;
  if (first === undefined) return bins;
  const step = first.toMs - first.fromMs;
  for (const one of all) bins[Math.floor((one.atMs - first.fromMs) / step)]?.members.push(one);
  return bins;
}

/** One facet: a key of the filter bar, and its values among the rows, most frequent first. */
export interface Facet {
  readonly key: string;
  readonly name: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Number of distinct values, shown or not. */
  readonly total: number;
}

/** Which turns a count of facets covers. */
export interface FacetReach {
  readonly turns: number;
  /** True when everything that was received is counted. */
  readonly complete: boolean;
}

/** The number of turns behind the facets, in words; never more than were counted. */
export function facetExtent({ turns, complete }: FacetReach): string {
  const counted = countedText(turns, "turn");
  return complete ? `All ${counted}` : `${counted}, not all: others wait or cannot be read`;
}

/** Which turns a chart covers, in words. */
export function countExtent({ complete }: Pick<FacetReach, "complete">): string {
  return complete ? "in all" : "so far";
}

/** Name of each key of the facets, in their order. */
export const facetNames: readonly (readonly [key: string, name: string])[] = [
  ["verdict", "Verdict"],
  ["status", "Status"],
  ["agent", "Agent"],
  ["app", "Application"],
  ["user", "Tenant"],
  ["tool", "Tool"],
  ["model", "Model"],
  ["cache", "Cache"],
  ["finding", "Finding"],
  ["insight", "Insight"],
  ["contract", "Contract"],
  ["release", "Release"],
  ["env", "Environment"],
  ["producer", "Producer"],
  ["dialect", "Dialect"],
];
