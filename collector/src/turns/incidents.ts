/**
 * @module Incidents: what went wrong in many turns as a short list. Turns of one cause and one
 * agent that follow each other without a long pause are one incident. Each turn is in at most one.
 */
import type {
  CountGroup,
  TurnCondition,
  TurnFacet,
  TurnQuestion,
  TurnReader,
} from "@turnproof/store";
import { isoOfMicros } from "@turnproof/store";

import { middling } from "./cohort-pairs.ts";
import { causesOf, isTrouble } from "./incident-causes.ts";
import type { AskedCause, Cause } from "./incident-causes.ts";
import { turnStretches } from "./turn-stretches.ts";
import type { StretchOptions } from "./turn-stretches.ts";

/** A call that failed in the turns of an incident. */
export interface FailedCall {
  readonly kind: "tool" | "model";
  readonly name: string | null;
  readonly error_type: string | null;
  readonly outcome: string | null;
  readonly calls: number;
}

/** Turns that went wrong together. */
export interface Incident extends Cause {
  readonly agent_id: string | null;
  readonly turns: number;
  /** Last event of its first and of its last turn. */
  readonly first_at: string;
  readonly last_at: string;
  /** Distinct tenants, the anonymous as one; turns without any are not in it. */
  readonly tenants: number;
  /** Releases by their turns. */
  readonly releases: readonly { readonly release: string; readonly turns: number }[];
  /** The most frequent call that failed or got by; null without one. */
  readonly call_failed: FailedCall | null;
  /** Its turns by interval. */
  readonly slices: readonly { readonly from_ms: number; readonly turns: number }[];
  /** Of the last turns, the one whose duration is nearest to their middle. */
  readonly typical: { readonly root_trace_id: string; readonly turn_id: string | null } | null;
  /** Terms for its turns; null where they cannot be written. */
  readonly q: string | null;
}

/** The incidents of a question. */
export interface Incidents {
  readonly turns: number;
  /** Turns in which something went wrong, and those of them that are in no listed incident. */
  readonly turns_wrong: number;
  readonly turns_left: number;
  /** A pause that is longer ends an incident. */
  readonly pause_ms: number;
  /** Most urgent first, then the largest. */
  readonly items: readonly Incident[];
  readonly frame: {
    readonly from_ms: number;
    readonly step_ms: number;
    readonly size: number;
  } | null;
}

const incidentsMax = 15;
/** Causes with agents that are looked at over time. */
const clustersMax = 30;
/** A pause of this many intervals, and of an hour, ends an incident. */
const pauseIntervals = 6;
const pauseLeastMs = 3_600_000;
const typicalOf = 20;
const valuesMax = 200;

interface Cluster {
  readonly cause: AskedCause;
  readonly agent: string | null;
  readonly question: TurnQuestion;
  readonly turns: number;
}

interface Episode extends Cluster {
  readonly slices: readonly CountGroup[];
  readonly first: number;
  readonly last: number;
}

/** Finds the incidents of a question. */
export async function findIncidents(
  ledger: TurnReader,
  question: TurnQuestion,
  options: StretchOptions,
): Promise<Incidents> {
  const { total, frame } = await turnStretches(
    (asked, by) => ledger.turnCounts(asked, by),
    question,
    options,
  );
  const causes = await causesOf(ledger, question);
  const [wrong, found] = await Promise.all([
    ledger.countTurns(narrowed(question, { any: causes.map(({ condition }) => condition) })),
    clustersOf(ledger, question, causes),
  ]);
  const everyMs = frame?.stepMs ?? 86_400_000;
  const pauseMs = Math.max(pauseIntervals * everyMs, pauseLeastMs);
  const clusters = ranked(found).slice(0, clustersMax);
  const episodes = await Promise.all(
    clusters.map(async (cluster) =>
      episodesOf(cluster, await ledger.turnCounts(cluster.question, { everyMs }), pauseMs),
    ),
  );
  const listed = ranked(episodes.flat()).slice(0, incidentsMax);
  const items = await Promise.all(
    listed.map((one) => described(ledger, one, { causes, base: question })),
  );
  return {
    turns: total?.turns ?? 0,
    turns_wrong: wrong,
    turns_left: wrong - items.reduce((sum, { turns }) => sum + turns, 0),
    pause_ms: pauseMs,
    items,
    frame:
      frame === undefined
        ? null
        : { from_ms: frame.fromMs, step_ms: frame.stepMs, size: frame.size },
  };
}

function narrowed(question: TurnQuestion, ...more: readonly TurnCondition[]): TurnQuestion {
  return { ...question, where: [...question.where, ...more] };
}

function ranked<T extends { readonly cause: Cause; readonly turns: number }>(
  all: readonly T[],
): readonly T[] {
  return all.toSorted((a, b) => a.cause.priority - b.cause.priority || b.turns - a.turns);
}

/** Turns by the first cause that they have, and by agent. */
async function clustersOf(
  ledger: TurnReader,
  question: TurnQuestion,
  causes: readonly AskedCause[],
): Promise<readonly Cluster[]> {
  const groups = await Promise.all(
    causes.map(async (cause, at) => {
      const before = causes.slice(0, at).map(({ condition }) => condition);
      const own = narrowed(
        question,
        cause.condition,
        ...(before.length === 0 ? [] : [{ any: before, not: true as const }]),
      );
      const [facet] = await ledger.turnFacets(own, ["agent_id"], valuesMax);
      return (facet?.values ?? []).map(({ value, turns }) => ({
        cause,
        agent: value,
        turns,
        question: narrowed(own, { text: "agent_id", is: value }),
      }));
    }),
  );
  return groups.flat();
}

/** The turns of a cluster without a long pause between them. */
function episodesOf(
  cluster: Cluster,
  counts: readonly CountGroup[],
  pauseMs: number,
): readonly Episode[] {
  const runs: CountGroup[][] = [];
  for (const slice of counts.toSorted((a, b) => (a.from_ms ?? 0) - (b.from_ms ?? 0))) {
    const run = runs.at(-1);
    // Exact between the turns: inside of an interval no pause is as long.
    const quietMs = ((slice.first_at ?? 0) - (run?.at(-1)?.last_at ?? -Infinity)) / 1_000;
    if (run !== undefined && quietMs <= pauseMs) {
      run.push(slice);
    } else {
      runs.push([slice]);
    }
  }
  return runs.map((slices) => {
    const first = Math.min(...slices.map(({ first_at: at }) => at ?? 0));
    const last = Math.max(...slices.map(({ last_at: at }) => at ?? 0));
    const within: TurnCondition = {
      time: "ended_at",
      from: isoOfMicros(first),
      to: isoOfMicros(last + 1),
    };
    return {
      ...cluster,
      question: narrowed(cluster.question, within),
      turns: slices.reduce((sum, { turns }) => sum + turns, 0),
      slices,
      first,
      last,
    };
  });
}

async function described(
  ledger: TurnReader,
  of: Episode,
  asked: { readonly causes: readonly AskedCause[]; readonly base: TurnQuestion },
): Promise<Incident> {
  const { cause, question } = of;
  const { condition: _condition, term: _term, ...told } = cause;
  const [facets, failed, { records }, q] = await Promise.all([
    ledger.turnFacets(question, ["release", "tenant"], valuesMax),
    failedCall(ledger, of),
    ledger.listTurns(question, { order: { by: "ended_at" }, limit: typicalOf }),
    termsFor(ledger, of, asked),
  ]);
  const rows = records.map(({ row }) => row);
  const typical = middling(rows);
  return {
    ...told,
    agent_id: of.agent,
    turns: of.turns,
    first_at: isoOfMicros(of.first),
    last_at: isoOfMicros(of.last),
    tenants: tenantsOf(facets.find(({ field }) => field === "tenant")),
    releases: (facets.find(({ field }) => field === "release")?.values ?? [])
      .flatMap(({ value, turns }) => (value === null ? [] : [{ release: value, turns }]))
      .slice(0, 3),
    call_failed: failed,
    slices: of.slices.map(({ from_ms: from = 0, turns }) => ({ from_ms: from, turns })),
    typical:
      typical?.root_trace_id === undefined
        ? null
        : { root_trace_id: typical.root_trace_id, turn_id: typical.turn_id ?? null },
    q,
  };
}

function tenantsOf(facet: TurnFacet | undefined): number {
  const none = facet?.values.some(({ value }) => value === "unattributed") === true;
  return (facet?.total ?? 0) - (none ? 1 : 0);
}

/** The most frequent failed call; of a limited cause the most frequent limited one. */
async function failedCall(
  ledger: TurnReader,
  { cause, question }: Episode,
): Promise<FailedCall | null> {
  const trouble = cause.kind === "limited_call" ? "limited" : "failed";
  const kinds = cause.call === null ? (["tool", "model"] as const) : [cause.call];
  const found = await Promise.all(
    kinds.map(async (kind) =>
      (await ledger.callFigures(question, kind, ["name", "outcome", "error_type"]))
        .filter(({ group }) => isTrouble(trouble, group.outcome))
        .filter(({ group }) => cause.call === null || (group.name ?? null) === cause.name)
        .map(({ group, calls }) => ({
          kind,
          name: group.name ?? null,
          error_type: group.error_type ?? null,
          outcome: group.outcome ?? null,
          calls,
        })),
    ),
  );
  return found.flat().toSorted((a, b) => b.calls - a.calls)[0] ?? null;
}

/**
 * The terms for exactly its turns: its cause, agent and time, without the more urgent causes that
 * such turns have as well.
 */
async function termsFor(
  ledger: TurnReader,
  of: Episode,
  { causes, base }: { readonly causes: readonly AskedCause[]; readonly base: TurnQuestion },
): Promise<string | null> {
  const { cause, agent, first, last } = of;
  if (cause.term === null || agent === null || /["\s]/.test(agent)) return null;
  const range = { from: isoOfMicros(first), to: isoOfMicros(last + 1) };
  const all = narrowed(
    base,
    cause.condition,
    { text: "agent_id", is: agent },
    { time: "ended_at", ...range },
  );
  const before = causes.slice(0, causes.indexOf(cause));
  const [facet] = await ledger.turnFacets(all, ["code"], valuesMax);
  const codes = new Set(facet?.values.map(({ value }) => value));
  const also = await Promise.all(
    before.map(async (one) =>
      one.kind === "finding"
        ? codes.has(one.name)
        : (await ledger.countTurns(narrowed(all, one.condition))) > 0,
    ),
  );
  const others = before.filter((_, at) => also[at]).map(({ term }) => term);
  const text = [
    cause.term,
    `agent:${agent}`,
    `after:${range.from}`,
    `before:${range.to}`,
    ...others.map((term) => `-${term ?? ""}`),
  ].join(" ");
  return others.includes(null) || text.length > 1_000 ? null : text;
}
