/**
 * @module IncidentEpisodes: which turns are one incident, in which order incidents are listed, and
 * the terms for their turns. Turns that are alone or in pairs are listed by their cause, and calls
 * that are alone in theirs by their kind: a list of single turns would hide what is frequent.
 */
import { groupBy, isoTime } from "@turnproof/semconv";
import type { TurnRecord } from "@turnproof/store";

import { byUrgency, causeKey, causeTerm, causesIn, endingFirst } from "./incident-causes.ts";
import type { Cause } from "./incident-causes.ts";

/** A turn that went wrong. */
export interface WrongTurn {
  readonly record: TurnRecord;
  readonly endedMs: number;
  /** All of its causes, the one it counts under first. */
  readonly causes: readonly [Cause, ...Cause[]];
}

/** The turns of one incident. */
export interface Episode {
  /** Without a name where there are several. */
  readonly cause: Cause;
  readonly names: number;
  readonly scattered: boolean;
  /** In the order of their ends. */
  readonly turns: readonly [WrongTurn, ...WrongTurn[]];
}

/** How the turns of an incident are listed. */
export interface IncidentTerms {
  /** Terms for its turns; null where they cannot be written. */
  readonly q: string | null;
  /**
   * Turns that these terms list of those that were read; more than `turns` where no terms are
   * exact.
   */
  readonly q_turns: number | null;
}

/** Fewer turns of one agent near each other are listed with others of their cause. */
const togetherMin = 3;
const termsCharsMax = 1_000;

/** The agent of a turn. */
export function agentOf({ record }: WrongTurn): string | null {
  return record.row.agent_id ?? null;
}

/** Turns with what went wrong in them. */
export function wrongTurnsOf(records: readonly TurnRecord[]): readonly WrongTurn[] {
  const causes = records.map(causesIn);
  const counts = new Map<string, number>();
  for (const cause of causes.flat()) {
    counts.set(causeKey(cause), (counts.get(causeKey(cause)) ?? 0) + 1);
  }
  const urgency = byUrgency(counts);
  return records.flatMap((record, at) => {
    const [first, ...others] = endingFirst((causes[at] ?? []).toSorted(urgency));
    if (first === undefined) return [];
    return [{ record, endedMs: Date.parse(record.row.ended_at), causes: [first, ...others] }];
  });
}

/** All incidents in the order of the list: by priority, then the most turns, then the newest. */
export function ranked(turns: readonly WrongTurn[], pauseMs: number): readonly Episode[] {
  const lastOf = ({ turns: own }: Episode): number => (own.at(-1) ?? own[0]).endedMs;
  return episodesOf(turns, pauseMs).toSorted(
    (a, b) =>
      a.cause.priority - b.cause.priority ||
      b.turns.length - a.turns.length ||
      lastOf(b) - lastOf(a) ||
      a.turns[0].record.key.localeCompare(b.turns[0].record.key),
  );
}

/** Turns by cause and agent without a long pause between them; where these are few, by cause. */
function episodesOf(turns: readonly WrongTurn[], pauseMs: number): readonly Episode[] {
  const unproven = groupBy(
    turns.filter(({ causes: [cause] }) => cause.kind === "evidence"),
    ({ causes: [cause] }) => causeKey(cause),
  );
  const groups = groupBy(
    turns.filter(({ causes: [cause] }) => cause.kind !== "evidence"),
    (turn) => JSON.stringify([causeKey(turn.causes[0]), agentOf(turn)]),
  );
  const runs = [...groups.values()].flatMap((group) => {
    const found: [WrongTurn, ...WrongTurn[]][] = [];
    for (const turn of inOrder(group)) {
      const open = found.at(-1);
      const before = open?.at(-1)?.endedMs ?? -Infinity;
      if (open !== undefined && turn.endedMs - before <= pauseMs) open.push(turn);
      else found.push([turn]);
    }
    return found;
  });
  const together = runs.filter(({ length }) => length >= togetherMin);
  const few = groupBy(
    runs.filter(({ length }) => length < togetherMin),
    ([{ causes }]) => causeKey(causes[0]),
  );
  const ofCause = [...few.values()].map((own) => ({ turns: own.flat(), runs: own.length }));
  const single = ofCause.filter(({ turns: own }) => own.length === 1).flatMap((one) => one.turns);
  const ofKind = groupBy(single, ({ causes: [cause] }) =>
    cause.call === null ? causeKey(cause) : JSON.stringify([cause.kind, cause.call]),
  );
  return [
    ...together.map((own) => episode(own, false)),
    ...ofCause
      .filter(({ turns: own }) => own.length > 1)
      .map(({ turns: own, runs: parts }) => episode(inOrder(own), parts > 1)),
    ...[...ofKind.values()].map((own) => episode(inOrder(own), own.length > 1)),
    // One loss touches turns of several agents, at any time.
    ...[...unproven.values()].map((own) => episode(inOrder(own), false)),
  ].flat();
}

function inOrder(turns: readonly WrongTurn[]): readonly WrongTurn[] {
  return turns.toSorted((a, b) => a.endedMs - b.endedMs);
}

function episode(turns: readonly WrongTurn[], scattered: boolean): readonly Episode[] {
  const [first, ...others] = turns;
  if (first === undefined) return [];
  const [cause] = first.causes;
  const names = new Set(turns.map((turn) => turn.causes[0].name)).size;
  const own = names > 1 ? { ...cause, name: null } : cause;
  return [{ cause: own, names, scattered, turns: [first, ...others] }];
}

/**
 * The terms for its turns: cause, agent and time, without the causes that other turns count under;
 * and how many turns they list. Scattered turns may have no terms that list them alone.
 */
export function termsFor(
  { cause, names, turns }: Episode,
  all: readonly WrongTurn[],
): IncidentTerms {
  const own = causeTerm(cause, names > 1);
  if (own === null) return { q: null, q_turns: null };
  const agents = new Set(turns.map(agentOf));
  const [agent = null] = agents;
  const agentTerm = agents.size > 1 || agent === null || /["\s]/.test(agent) ? null : agent;
  const first = turns[0].endedMs;
  const last = (turns.at(-1) ?? turns[0]).endedMs;
  const isOwn = (one: Cause): boolean =>
    names > 1
      ? one.kind === cause.kind && one.call === cause.call
      : causeKey(one) === causeKey(cause);
  const listed = all.filter(
    (turn) =>
      (agentTerm === null || agentOf(turn) === agentTerm) &&
      turn.endedMs >= first &&
      turn.endedMs <= last &&
      turn.causes.some(isOwn),
  );
  const kept = new Set(turns.flatMap((turn) => turn.causes.map(causeKey)));
  const without = new Map<string, string>();
  for (const { causes } of listed) {
    for (const one of causes.slice(0, causes.findIndex(isOwn))) {
      const term = kept.has(causeKey(one)) ? null : causeTerm(one);
      if (term !== null) without.set(causeKey(one), `-${term}`);
    }
  }
  const plain = [
    own,
    ...(agentTerm === null ? [] : [`agent:${agentTerm}`]),
    `after:${isoTime(first)}`,
    `before:${isoTime(last + 1)}`,
  ].join(" ");
  const q = [plain, ...without.values()].join(" ");
  if (q.length > termsCharsMax) return { q: plain, q_turns: listed.length };
  const left = listed.filter(({ causes }) => !causes.some((one) => without.has(causeKey(one))));
  return { q, q_turns: left.length };
}
