/**
 * @module ReconcileTurn: how a turn itself ended, and its verified outcomes. The latest attempt
 * decides; attempts that it supersedes and turns nested in another one do not count.
 */
import type { TurnEvent } from "../event/event.ts";
import { isFailedOutcome, isPartialOutcome } from "../coverage/coverage.ts";
import { noteUnestablished } from "./reconcile-bench.ts";
import type { Bench } from "./reconcile-bench.ts";
import { noteUnended } from "./reconcile-open.ts";
import { compareOrder, statesOf, statesWithin } from "./reconcile-order.ts";
import { parentKey, spanKey } from "../event/span-key.ts";

/** True where an event of the turn itself is anything but a start or a success. */
export function isTroubled(turns: readonly TurnEvent[]): boolean {
  let ended: Set<string | undefined> | undefined;
  for (const turn of turns) {
    if (turn.phase !== "start" && turn.status !== "success") return true;
    if (turn.phase !== "start") (ended ??= new Set()).add(spanKey(turn));
  }
  return turns.some((turn) => turn.phase === "start" && ended?.has(spanKey(turn)) !== true);
}

/** One run of the turn: its start, its end, or both. */
interface Attempt {
  readonly span: string | undefined;
  readonly events: TurnEvent[];
  /** Its latest results; empty while it has not ended. */
  results: readonly TurnEvent[];
  /** Its first event, at its start time, where that is known. */
  first: TurnEvent;
}

/** The event at its start time. */
function atStart(turn: TurnEvent): TurnEvent {
  return turn.started_at === undefined ? turn : { ...turn, timestamp: turn.started_at };
}

/** The attempts of a turn that count: not nested in another one, and the latest of them. */
function latestAttempts(
  turns: readonly TurnEvent[],
  members: readonly TurnEvent[],
): readonly Attempt[] {
  const attempts = attemptsOf(turns);
  const outer = attempts.length < 2 ? attempts : withoutNested(attempts, members);
  let latest: Attempt | undefined;
  for (const attempt of outer) {
    if (latest === undefined || compareOrder(attempt.first, latest.first) > 0) latest = attempt;
  }
  const last = latest?.first;
  const ended = new Set(statesOf(outer.flatMap(({ results }) => results)).latest);
  // Where the last to begin did not end last, both must have succeeded.
  return outer.filter(
    ({ first, results }) =>
      (last !== undefined && compareOrder(first, last) === 0) ||
      results.some((result) => ended.has(result)),
  );
}

function attemptsOf(turns: readonly TurnEvent[]): Attempt[] {
  const bySpan = new Map<string | undefined, Attempt>();
  for (const turn of turns) {
    const span = spanKey(turn);
    const began = atStart(turn);
    const known = bySpan.get(span);
    if (known === undefined) {
      bySpan.set(span, { span, events: [turn], results: [], first: began });
      continue;
    }
    known.events.push(turn);
    if (compareOrder(began, known.first) < 0) known.first = began;
  }
  for (const attempt of bySpan.values()) {
    attempt.results = statesOf(attempt.events.filter(({ phase }) => phase !== "start")).latest;
  }
  return [...bySpan.values()];
}

/**
 * Attempts that are not inside another one, by the spans of the turn. One that is its own ancestor
 * is not nested: a cycle of parents hides no failure.
 */
function withoutNested(attempts: readonly Attempt[], members: readonly TurnEvent[]): Attempt[] {
  const parents = new Map<string, string>();
  for (const event of members) {
    const span = spanKey(event);
    const parent = parentKey(event);
    if (span !== undefined && parent !== undefined) parents.set(span, parent);
  }
  const turns = new Set(attempts.flatMap(({ span }) => span ?? []));
  const nested = new Map<string, boolean>();
  const circling = circlesOf(parents);
  return attempts.filter(
    ({ span }) =>
      span === undefined || circling.has(span) || !isNested(span, { parents, turns, nested }),
  );
}

/** Spans that are their own ancestors. Each span is walked once. */
function circlesOf(parents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const circling = new Set<string>();
  const walked = new Set<string>();
  for (const start of parents.keys()) {
    const path = new Set<string>();
    let at: string | undefined = start;
    while (at !== undefined && !walked.has(at)) {
      walked.add(at);
      path.add(at);
      at = parents.get(at);
    }
    if (at === undefined || !path.has(at)) continue;
    for (const first = at; !circling.has(at); at = parents.get(at) ?? first) circling.add(at);
  }
  return circling;
}

function isNested(
  span: string,
  known: {
    readonly parents: ReadonlyMap<string, string>;
    readonly turns: ReadonlySet<string>;
    readonly nested: Map<string, boolean>;
  },
): boolean {
  const path: string[] = [];
  let at = known.parents.get(span);
  let found = false;
  while (at !== undefined && !known.nested.has(at)) {
    if (known.turns.has(at) && at !== span) {
      found = true;
      break;
    }
    // A cycle ends where it began.
    known.nested.set(at, false);
    path.push(at);
    at = known.parents.get(at);
  }
  if (at !== undefined && known.nested.get(at) === true) found = true;
  for (const step of path) known.nested.set(step, found);
  return found;
}

/** Notes an attempt that ended in error or was cancelled. */
export function judgeTurnEnd(bench: Bench): void {
  const { turns, turn } = bench.scope;
  if (turns.length === 0) return;
  for (const { results, events } of latestAttempts(turns, turn.events)) {
    if (results.length === 0) noteUnended(bench, events);
    const failed = results.filter(({ status }) => status === "error");
    if (failed.length > 0) {
      bench.notices.push({ code: "turn_failed", evidence: failed });
      bench.bad = true;
    }
    const cut = results.filter(({ status }) => status === "partial");
    if (cut.length > 0) bench.notices.push({ code: "turn_cancelled", evidence: cut });
  }
}

/** Notes failures among the latest verified outcomes, per source and external id. */
export function judgeOutcomes(bench: Bench): void {
  const byKey = new Map<string, TurnEvent[]>();
  for (const outcome of bench.scope.outcomes) {
    const { task_id: task, external_id: external } = outcome;
    const key = JSON.stringify([task ?? null, outcome.attributes.source ?? null, external ?? null]);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [outcome]);
    else known.push(outcome);
  }
  for (const outcomes of byKey.values()) {
    const states = statesWithin(bench.scope.turn, outcomes);
    noteUnestablished(bench, states, (one) => !isFailedOutcome(one) && !isPartialOutcome(one));
    const unmet = states.latest.filter((one) => isPartialOutcome(one) && !isFailedOutcome(one));
    if (unmet.length > 0) {
      const source = unmet[0]?.attributes.source;
      bench.notices.push({ code: "outcome_partial", subject: source, evidence: unmet });
    }
    const failed = states.latest.filter(isFailedOutcome);
    if (failed.length === 0) continue;
    const subject = failed[0]?.attributes.source;
    bench.notices.push({ code: "outcome_failed", subject, evidence: failed });
    bench.bad = true;
    bench.outcomeFailed = true;
  }
}
