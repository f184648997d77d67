/**
 * @module JudgeOrder: which call comes before which. The order of two calls is that of their
 * starts; across processes a difference within the skew of clocks decides nothing. In a part of a
 * window a missing call may be the one that the order needs, so only the whole decides.
 */
import { compareTimes, elapsedMs } from "@turnproof/evidence";

import type { ClauseOf } from "../language/clauses.ts";
import type { Call } from "./call.ts";
import { compareCalls } from "./call.ts";
import { judged } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { candidates, described, find } from "./matching.ts";
import type { Outcome } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Skew of clocks of different processes that is bridged (evidence: Reconcile). */
const skewMs = 500;

/** True when `a` began before `b`, false when after, undefined where it is unknown. */
export function beganBefore(a: Call, b: Call): boolean | undefined {
  if (a.start === undefined || b.start === undefined) return undefined;
  const order = compareTimes(a.start, b.start);
  if (order === 0) return undefined;
  if (a.event.producer_id !== b.event.producer_id) {
    const apart = elapsedMs(a.start, b.start);
    if (apart === undefined || Math.abs(apart) <= skewMs) return undefined;
  }
  return order < 0;
}

/** The order of the selected calls. */
export function judgeOrder(clause: ClauseOf<"order">, facts: TurnFacts): ClauseJudgement {
  const other = clause.before ?? clause.after ?? clause.never_after ?? {};
  const own = find(clause, facts);
  const others = find(other, facts);
  const words = relationOf(clause);
  const subject = `${described(clause)} ${words} ${described(other)}${nearness(clause)}`;
  if (!facts.closed) {
    return judged("not_established", `A part may be missing that decides: ${subject}.`);
  }
  if (own.open.length + others.open.length > 0) {
    const unknown = [...own.open, ...others.open].map(({ event }) => event);
    return judged("not_established", `A call may be one of these or not: ${subject}.`, unknown);
  }
  const counts = clause.immediately === true || clause.within_calls !== undefined;
  const all = counts ? callsBetween(clause, other, facts) : [];
  const anchors = clause.never_after === undefined ? others.certain : own.certain;
  const partners = clause.never_after === undefined ? own.certain : others.certain;
  const wrong: Call[] = [];
  const open: Call[] = [];
  for (const anchor of anchors) {
    const result = settle(clause, anchor, partners, all);
    if (result === "violated") wrong.push(anchor);
    else if (result === "not_established") open.push(anchor);
  }
  if (wrong.length > 0) {
    const verb = wrong.length === 1 ? "breaks" : "break";
    const sentence = `${wrong.length} of ${anchors.length} ${verb} the order: ${subject}.`;
    return judged(
      "violated",
      sentence,
      wrong.map(({ event }) => event),
    );
  }
  if (open.length > 0) {
    const sentence = `Times do not establish the order: ${subject}.`;
    return judged(
      "not_established",
      sentence,
      open.map(({ event }) => event),
    );
  }
  const sentence =
    anchors.length === 0 ? `Nothing to order: ${subject}.` : `The order holds: ${subject}.`;
  return judged(
    "holds",
    sentence,
    anchors.map(({ event }) => event),
  );
}

function relationOf({ before, after, immediately }: ClauseOf<"order">): string {
  const how = immediately === true ? "immediately " : "";
  return before !== undefined
    ? `${how}before`
    : after !== undefined
      ? `${how}after`
      : "never after";
}

function nearness({ within_ms: most, within_calls: calls }: ClauseOf<"order">): string {
  const limits = [
    ...(most === undefined ? [] : [`${most} ms`]),
    ...(calls === undefined ? [] : [`${calls} ${calls === 1 ? "call" : "calls"}`]),
  ];
  return limits.length === 0 ? "" : ` within ${limits.join(" and ")}`;
}

/** All calls of the kinds that the clause is about, in order, to count what is between. */
function callsBetween(
  clause: ClauseOf<"order">,
  other: Parameters<typeof candidates>[0],
  facts: TurnFacts,
): readonly Call[] {
  const ids = new Map<string, Call>();
  for (const call of [...candidates(clause, facts), ...candidates(other, facts)]) {
    ids.set(call.event.event_id, call);
  }
  return [...ids.values()].toSorted(compareCalls);
}

/** Whether one call has the partner that it needs. */
function settle(
  clause: ClauseOf<"order">,
  anchor: Call,
  partners: readonly Call[],
  all: readonly Call[],
): Outcome {
  const isBefore = clause.after === undefined;
  let open = false;
  for (const partner of partners) {
    if (partner.event === anchor.event) continue;
    const [first, second] = isBefore ? [partner, anchor] : [anchor, partner];
    const answer = beganBefore(first, second);
    const near = answer === false ? false : isNear(clause, first, second, all);
    if (answer === true && near === true) {
      return clause.never_after === undefined ? "holds" : "violated";
    }
    if (answer !== false && near !== false) open = true;
  }
  if (open) return "not_established";
  return clause.never_after === undefined ? "violated" : "holds";
}

/** Whether two calls are as close as the clause requires. */
function isNear(
  clause: ClauseOf<"order">,
  first: Call,
  second: Call,
  all: readonly Call[],
): boolean | undefined {
  const { within_ms: most, within_calls: calls } = clause;
  const apart = clause.immediately === true ? 1 : calls;
  if (apart !== undefined) {
    const at = (call: Call): number => all.findIndex(({ event }) => event === call.event);
    const distance = at(second) - at(first);
    if (distance > apart || distance < 1) return false;
  }
  if (most === undefined) return true;
  if (first.end === undefined || second.start === undefined) return undefined;
  const gap = elapsedMs(first.end, second.start);
  return gap === undefined ? undefined : gap <= most;
}
