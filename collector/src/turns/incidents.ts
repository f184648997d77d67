/**
 * @module Incidents: what went wrong in many turns as a short list. Turns of one cause and one
 * agent that follow each other without a long pause are one incident; where these are one or two,
 * all such turns of the cause are one. Each turn is in one incident.
 */
import { groupBy } from "@turnproof/semconv";
import type { Identity, NullableIdentity } from "@turnproof/semconv";
import { tenantText } from "@turnproof/store";
import type { TurnQuery, TurnReader, TurnRecord } from "@turnproof/store";

import { middling } from "./cohort-pairs.ts";
import { lostEvidence } from "./lost-evidence.ts";
import type { LostEvidence } from "./lost-evidence.ts";
import { isTrouble, wrongTurns } from "./incident-causes.ts";
import type { Cause } from "./incident-causes.ts";
import { agentOf, ranked, termsFor, wrongTurnsOf } from "./incident-episodes.ts";
import type { Episode, IncidentTerms, WrongTurn } from "./incident-episodes.ts";
import { rowsInOrder } from "./rows-in-order.ts";
import { turnSeries } from "./turn-series.ts";
import type { SeriesOptions } from "./turn-series.ts";

/** A call that failed in the turns of an incident. */
export interface FailedCall {
  readonly kind: "tool" | "model";
  readonly name: string | null;
  readonly error_type: string | null;
  readonly outcome: string | null;
  readonly calls: number;
}

/**
 * Turns that went wrong together. `name` is null where there are several `names`, and `agent_id`
 * where there are several agents.
 */
export interface Incident extends Cause, IncidentTerms, NullableIdentity<"agent_id"> {
  readonly turns: number;
  /** True for turns of one cause that are not near each other: at most two of an agent are. */
  readonly scattered: boolean;
  /** Distinct tools or models, and agents; 0 agents where none is recorded. */
  readonly names: number;
  readonly agents: number;
  /** Last event of its first and of its last turn. */
  readonly first_at: string;
  readonly last_at: string;
  /** Distinct tenants, the anonymous as one; turns without any are not in it. */
  readonly tenants: number;
  /** Releases by their turns. */
  readonly releases: readonly { readonly release: string; readonly turns: number }[];
  /**
   * The most frequent call that failed, or was answered by a fallback or with limits; null without
   * one.
   */
  readonly call_failed: FailedCall | null;
  /** Its turns by interval. */
  readonly slices: readonly { readonly from_ms: number; readonly turns: number }[];
  /** Of the last turns, the one whose duration is nearest to their middle. */
  readonly typical: (Pick<Identity, "root_trace_id"> & NullableIdentity<"turn_id">) | null;
}

/** The incidents of a query. */
export interface Incidents {
  readonly turns: number;
  /** Turns in which something went wrong. */
  readonly turns_wrong: number;
  /** As on Health: some of these count under a more urgent cause. */
  readonly lost_evidence: LostEvidence;
  /** Those of them that were read, the newest; incidents are of these. */
  readonly turns_read: number;
  /** Those that were read and are in the incidents after these. */
  readonly turns_left: number;
  /** A pause that is longer ends an incident. */
  readonly pause_ms: number;
  /** Number of incidents, of which `items` has some after those that are skipped. */
  readonly incidents: number;
  readonly skipped: number;
  /** P0 first, then P1, then P2; in each, the incident with the most turns first. Or as sorted. */
  readonly items: readonly Incident[];
  /** All turns by interval, and those in which something went wrong. */
  readonly slices: readonly {
    readonly from_ms: number;
    readonly turns: number;
    readonly turns_wrong: number;
  }[];
  readonly frame: {
    readonly from_ms: number;
    readonly step_ms: number;
    readonly size: number;
  } | null;
}

/** What incidents are listed by: `priority` is the most urgent first, then the most turns. */
export const incidentOrders = [
  "priority",
  "agent_id",
  "turns",
  "tenants",
  "first_at",
  "last_at",
] as const;

/** Which of the incidents are described. */
export interface IncidentsPart {
  readonly sort?: (typeof incidentOrders)[number] | undefined;
  readonly order?: "descending" | "ascending" | undefined;
  readonly skip?: number | undefined;
  /** Default: those of one page. */
  readonly limit?: number | undefined;
}

/** Incidents of one page. */
export const incidentsMax = 25;
/** Turns that are read at most, and at once. */
const readMax = 10_000;
const pageMax = 1_000;
/** A pause of more than an interval, and of more than an hour, ends an incident. */
const pauseLeastMs = 3_600_000;
const typicalOf = 20;

/** Finds the incidents of a query. */
export async function findIncidents(
  ledger: TurnReader,
  query: TurnQuery,
  {
    skip = 0,
    limit = incidentsMax,
    sort = "priority",
    order,
    ...options
  }: SeriesOptions & IncidentsPart,
): Promise<Incidents> {
  const { total, frame, bars, drawn } = await turnSeries(
    (requested, by) => ledger.turnCounts(requested, by),
    query,
    options,
  );
  const everyMs = frame?.stepMs ?? 86_400_000;
  const pauseMs = Math.max(everyMs, pauseLeastMs);
  const requested = { ...query, where: [...query.where, wrongTurns] };
  const troubled = { ...drawn, where: [...drawn.where, wrongTurns] };
  const wrongGroups = total === undefined ? [] : await ledger.turnCounts(troubled, { everyMs });
  const wrongAt = new Map(wrongGroups.map((group) => [group.from_ms, group.turns]));
  const records = total === undefined ? [] : await newest(ledger, requested);
  const wrong = records.length < readMax ? records.length : await ledger.countTurns(requested);
  const turns = wrongTurnsOf(records);
  // Sorted here, not by the store: which turns are one incident depends on the pauses between all.
  const all = rowsInOrder(ranked(turns, pauseMs), (one) => orderValue(one, sort), order);
  const listed = all.slice(skip, skip + limit);
  const items = listed.map((episode) => described(episode, turns, everyMs));
  return {
    turns: total?.turns ?? 0,
    turns_wrong: wrong,
    lost_evidence: await lostEvidence(ledger, query),
    turns_read: records.length,
    turns_left: all.slice(skip + limit).reduce((sum, one) => sum + one.turns.length, 0),
    pause_ms: pauseMs,
    incidents: all.length,
    skipped: skip,
    items,
    slices: bars.flatMap(({ fromMs, figures }) =>
      figures === undefined
        ? []
        : [{ from_ms: fromMs, turns: figures.turns, turns_wrong: wrongAt.get(fromMs) ?? 0 }],
    ),
    frame:
      frame === undefined
        ? null
        : { from_ms: frame.fromMs, step_ms: frame.stepMs, size: frame.size },
  };
}

/** The newest turns of a query, in pages, up to a bound that does not depend on load. */
async function newest(ledger: TurnReader, query: TurnQuery): Promise<readonly TurnRecord[]> {
  const found: TurnRecord[] = [];
  let page = await ledger.listTurns(query, { order: { by: "ended_at" }, limit: pageMax });
  found.push(...page.records);
  while (page.next !== null && found.length < readMax) {
    page = await ledger.listTurns(query, {
      order: { by: "ended_at" },
      limit: pageMax,
      after: page.next,
    });
    found.push(...page.records);
  }
  return found;
}

/** The agent of all of these turns; null where there are several, or none is recorded. */
function onlyAgent(turns: readonly WrongTurn[]): string | null {
  const [agent = null, ...others] = new Set(turns.map(agentOf));
  return others.length === 0 ? agent : null;
}

/** Distinct tenants, the anonymous as one. */
function tenantsOf(turns: readonly WrongTurn[]): number {
  const tenants = new Set(turns.map(({ record }) => tenantText(record.row.user_id)));
  tenants.delete("unattributed");
  return tenants.size;
}

/** An incident's value in a column. */
function orderValue(
  { cause, turns }: Episode,
  by: (typeof incidentOrders)[number],
): string | number | null {
  switch (by) {
    case "priority":
      return -cause.priority;
    case "agent_id":
      return onlyAgent(turns);
    case "turns":
      return turns.length;
    case "tenants":
      return tenantsOf(turns);
    case "first_at":
      return turns[0].endedMs;
    case "last_at":
      return (turns.at(-1) ?? turns[0]).endedMs;
  }
}

function described(episode: Episode, all: readonly WrongTurn[], everyMs: number): Incident {
  const { cause, turns, names, scattered } = episode;
  const agents = new Set(turns.map(agentOf));
  const rows = turns.map(({ record }) => record.row);
  const releases = groupBy(
    rows.flatMap((row) => row.releases),
    (release) => release,
  );
  const typical = middling(rows.slice(-typicalOf));
  return {
    ...cause,
    agent_id: onlyAgent(turns),
    turns: turns.length,
    scattered,
    names,
    agents: [...agents].filter((one) => one !== null).length,
    first_at: turns[0].record.row.ended_at,
    last_at: (turns.at(-1) ?? turns[0]).record.row.ended_at,
    tenants: tenantsOf(turns),
    releases: [...releases]
      .map(([release, named]) => ({ release, turns: named.length }))
      .toSorted((a, b) => b.turns - a.turns)
      .slice(0, 3),
    call_failed: failedCall(episode),
    slices: slicesOf(turns, everyMs),
    typical:
      typical?.root_trace_id === undefined
        ? null
        : { root_trace_id: typical.root_trace_id, turn_id: typical.turn_id ?? null },
    ...termsFor(episode, all),
  };
}

function slicesOf(turns: readonly WrongTurn[], everyMs: number): Incident["slices"] {
  const slices = groupBy(turns, ({ endedMs }) => Math.floor(endedMs / everyMs) * everyMs);
  return [...slices].map(([from_ms, own]) => ({ from_ms, turns: own.length }));
}

/** The most frequent failed call; of a limited cause the most frequent limited one. */
function failedCall({ cause, turns, names }: Episode): FailedCall | null {
  const trouble = cause.kind === "limited_call" ? "limited" : "failed";
  const calls = turns
    .flatMap(({ record }) => record.calls)
    .filter((call) => isTrouble(trouble, call))
    .flatMap(({ kind, ...call }) => (kind === "agent" ? [] : [{ kind, ...call }]))
    .filter(
      ({ kind, name }) =>
        cause.call === null || (kind === cause.call && (names > 1 || name === cause.name)),
    );
  const alike = groupBy(calls, ({ kind, name, error_type, outcome }) =>
    JSON.stringify([kind, name, error_type, outcome]),
  );
  const [most] = [...alike.values()].toSorted((a, b) => b.length - a.length);
  const [call] = most ?? [];
  if (most === undefined || call === undefined) return null;
  const { kind, name, error_type, outcome } = call;
  return { kind, name, error_type, outcome, calls: most.length };
}
