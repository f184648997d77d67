/**
 * @module Incidents: what went wrong in many turns as a short list. Turns of one cause and one
 * agent that follow each other without a long pause are one incident. Each turn is in at most one.
 */
import { groupBy, isoTime } from "@turnproof/semconv";
import type { Identity, NullableIdentity } from "@turnproof/semconv";
import { tenantText } from "@turnproof/store";
import type { TurnQuestion, TurnReader, TurnRecord } from "@turnproof/store";

import { middling } from "./cohort-pairs.ts";
import {
  byUrgency,
  causeKey,
  causeTerm,
  causesIn,
  isTrouble,
  wrongTurns,
} from "./incident-causes.ts";
import type { Cause } from "./incident-causes.ts";
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
export interface Incident extends Cause, NullableIdentity<"agent_id"> {
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
  readonly typical: (Pick<Identity, "root_trace_id"> & NullableIdentity<"turn_id">) | null;
  /** Terms for its turns; null where they cannot be written. */
  readonly q: string | null;
}

/** The incidents of a question. */
export interface Incidents {
  readonly turns: number;
  /** Turns in which something went wrong. */
  readonly turns_wrong: number;
  /** Those of them that were read, the newest; incidents are of these. */
  readonly turns_read: number;
  /** Those that were read and are in no listed incident. */
  readonly turns_left: number;
  /** A pause that is longer ends an incident. */
  readonly pause_ms: number;
  /** Ordered by the number of turns times 9, 3 or 1, by priority. */
  readonly items: readonly Incident[];
  readonly frame: {
    readonly from_ms: number;
    readonly step_ms: number;
    readonly size: number;
  } | null;
}

const incidentsMax = 15;
/** Turns that are read at most, and at once. */
const readMax = 10_000;
const pageMax = 1_000;
/** What a turn weighs in the order of the list, by priority. */
const weights = [9, 3, 1] as const;
/** A pause of this many intervals, and of an hour, ends an incident. */
const pauseIntervals = 6;
const pauseLeastMs = 3_600_000;
const typicalOf = 20;

interface WrongTurn {
  readonly record: TurnRecord;
  readonly endedMs: number;
  /** All of its causes, the most urgent first. */
  readonly causes: readonly [Cause, ...Cause[]];
}

interface Episode {
  readonly cause: Cause;
  readonly agent: string | null;
  /** In the order of their ends. */
  readonly turns: readonly [WrongTurn, ...WrongTurn[]];
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
  const everyMs = frame?.stepMs ?? 86_400_000;
  const pauseMs = Math.max(pauseIntervals * everyMs, pauseLeastMs);
  const asked = { ...question, where: [...question.where, wrongTurns] };
  const records = total === undefined ? [] : await newest(ledger, asked);
  const wrong = records.length < readMax ? records.length : await ledger.countTurns(asked);
  const turns = wrongTurnsOf(records);
  const listed = episodesOf(turns, pauseMs)
    .toSorted((a, b) => weightOf(b) - weightOf(a) || a.cause.priority - b.cause.priority)
    .slice(0, incidentsMax);
  const items = listed.map((episode) => described(episode, turns, everyMs));
  return {
    turns: total?.turns ?? 0,
    turns_wrong: wrong,
    turns_read: records.length,
    turns_left: records.length - items.reduce((sum, one) => sum + one.turns, 0),
    pause_ms: pauseMs,
    items,
    frame:
      frame === undefined
        ? null
        : { from_ms: frame.fromMs, step_ms: frame.stepMs, size: frame.size },
  };
}

/** The newest turns of a question, in pages, up to a bound that does not depend on load. */
async function newest(ledger: TurnReader, question: TurnQuestion): Promise<readonly TurnRecord[]> {
  const found: TurnRecord[] = [];
  let page = await ledger.listTurns(question, { order: { by: "ended_at" }, limit: pageMax });
  found.push(...page.records);
  while (page.next !== null && found.length < readMax) {
    page = await ledger.listTurns(question, {
      order: { by: "ended_at" },
      limit: pageMax,
      after: page.next,
    });
    found.push(...page.records);
  }
  return found;
}

function wrongTurnsOf(records: readonly TurnRecord[]): readonly WrongTurn[] {
  const causes = records.map(causesIn);
  const counts = new Map<string, number>();
  for (const cause of causes.flat()) {
    counts.set(causeKey(cause), (counts.get(causeKey(cause)) ?? 0) + 1);
  }
  const urgency = byUrgency(counts);
  return records.flatMap((record, at) => {
    const [first, ...others] = (causes[at] ?? []).toSorted(urgency);
    if (first === undefined) return [];
    return [{ record, endedMs: Date.parse(record.row.ended_at), causes: [first, ...others] }];
  });
}

const agentOf = ({ record }: WrongTurn): string | null => record.row.agent_id ?? null;

/** Turns by their most urgent cause and by agent, without a long pause between them. */
function episodesOf(turns: readonly WrongTurn[], pauseMs: number): readonly Episode[] {
  const groups = groupBy(turns, (turn) =>
    JSON.stringify([causeKey(turn.causes[0]), agentOf(turn)]),
  );
  return [...groups.values()].flatMap((group) => {
    const episodes: [WrongTurn, ...WrongTurn[]][] = [];
    for (const turn of group.toSorted((a, b) => a.endedMs - b.endedMs)) {
      const open = episodes.at(-1);
      const before = open?.at(-1)?.endedMs ?? -Infinity;
      if (open !== undefined && turn.endedMs - before <= pauseMs) open.push(turn);
      else episodes.push([turn]);
    }
    return episodes.map((own) => ({ cause: own[0].causes[0], agent: agentOf(own[0]), turns: own }));
  });
}

function weightOf({ cause, turns }: Episode): number {
  return weights[cause.priority] * turns.length;
}

function described(episode: Episode, all: readonly WrongTurn[], everyMs: number): Incident {
  const { cause, agent, turns } = episode;
  const rows = turns.map(({ record }) => record.row);
  const tenants = new Set(rows.map(({ user_id: user }) => tenantText(user)));
  tenants.delete("unattributed");
  const releases = groupBy(
    rows.flatMap((row) => row.releases),
    (release) => release,
  );
  const typical = middling(rows.slice(-typicalOf));
  return {
    ...cause,
    agent_id: agent,
    turns: turns.length,
    first_at: turns[0].record.row.ended_at,
    last_at: (turns.at(-1) ?? turns[0]).record.row.ended_at,
    tenants: tenants.size,
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
    q: termsFor(episode, all),
  };
}

function slicesOf(turns: readonly WrongTurn[], everyMs: number): Incident["slices"] {
  const slices = groupBy(turns, ({ endedMs }) => Math.floor(endedMs / everyMs) * everyMs);
  return [...slices].map(([from_ms, own]) => ({ from_ms, turns: own.length }));
}

/** The most frequent failed call; of a limited cause the most frequent limited one. */
function failedCall({ cause, turns }: Episode): FailedCall | null {
  const trouble = cause.kind === "limited_call" ? "limited" : "failed";
  const calls = turns
    .flatMap(({ record }) => record.calls)
    .filter((call) => isTrouble(trouble, call))
    .filter(
      ({ kind, name }) => cause.call === null || (kind === cause.call && name === cause.name),
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

/**
 * The terms for exactly its turns: its cause, agent and time, without the more urgent causes that
 * such turns have as well.
 */
function termsFor({ cause, agent, turns }: Episode, all: readonly WrongTurn[]): string | null {
  const own = causeTerm(cause);
  if (own === null || agent === null || /["\s]/.test(agent)) return null;
  const first = turns[0].endedMs;
  const last = (turns.at(-1) ?? turns[0]).endedMs;
  const others = new Map<string, Cause>();
  for (const turn of all) {
    if (agentOf(turn) !== agent || turn.endedMs < first || turn.endedMs > last) continue;
    const at = turn.causes.findIndex((one) => causeKey(one) === causeKey(cause));
    for (const one of turn.causes.slice(0, Math.max(at, 0))) others.set(causeKey(one), one);
  }
  const without = [...others.values()].map(causeTerm);
  const text = [
    own,
    `agent:${agent}`,
    `after:${isoTime(first)}`,
    `before:${isoTime(last + 1)}`,
    ...without.map((term) => `-${term ?? ""}`),
  ].join(" ");
  return without.includes(null) || text.length > 1_000 ? null : text;
}
