/**
 * @module JudgeOrder: which call comes before which, in every possible order of the calls. In a
 * part of a window a missing call may be the one that the order needs, so only the whole decides.
 */
import type { ClauseOf } from "../language/clauses.ts";
import type { Call } from "./call.ts";
import { beganBefore, followsWithin, hasEndedBefore, placesOf } from "./call-order.ts";
import type { Places } from "./call-order.ts";
import { judged } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { candidates, described, find } from "./matching.ts";
import type { Outcome } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

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
  const places = counts ? placesAmong(clause, other, facts) : new Map<string, Places>();
  const anchors = clause.never_after === undefined ? others.certain : own.certain;
  const partners = clause.never_after === undefined ? own.certain : others.certain;
  const wrong: Call[] = [];
  const open: Call[] = [];
  for (const anchor of anchors) {
    const result = settle(clause, anchor, partners, places);
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

function relationOf({ before, after, ended, immediately }: ClauseOf<"order">): string {
  const apart = ended === true ? "without overlap " : "";
  const how = `${apart}${immediately === true ? "immediately " : ""}`;
  return before !== undefined
    ? `${how}before`
    : after !== undefined
      ? `${how}after`
      : `never ${how}after`;
}

function nearness({ within_ms: most, within_calls: calls }: ClauseOf<"order">): string {
  const limits = [
    ...(most === undefined ? [] : [`${most} ms`]),
    ...(calls === undefined ? [] : [`${calls} ${calls === 1 ? "call" : "calls"}`]),
  ];
  return limits.length === 0 ? "" : ` within ${limits.join(" and ")}`;
}

/** Places among all calls of the kinds that the clause is about, by event. */
function placesAmong(
  clause: ClauseOf<"order">,
  other: Parameters<typeof candidates>[0],
  facts: TurnFacts,
): ReadonlyMap<string, Places> {
  const ids = new Map<string, Call>();
  for (const call of [...candidates(clause, facts), ...candidates(other, facts)]) {
    ids.set(call.event.event_id, call);
  }
  const places = placesOf([...ids.values()]);
  return new Map([...ids.keys()].flatMap((id, at) => (places[at] ? [[id, places[at]]] : [])));
}

/** Whether one call has the partner that it needs. */
function settle(
  clause: ClauseOf<"order">,
  anchor: Call,
  partners: readonly Call[],
  places: ReadonlyMap<string, Places>,
): Outcome {
  const isBefore = clause.after === undefined;
  let open = false;
  for (const partner of partners) {
    if (partner.event === anchor.event) continue;
    const [first, second] = isBefore ? [partner, anchor] : [anchor, partner];
    const answer = beganBefore(first, second);
    const near = answer === false ? false : isNear(clause, first, second, places);
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
  places: ReadonlyMap<string, Places>,
): boolean | undefined {
  const { within_ms: most, within_calls: calls } = clause;
  const apart = clause.immediately === true ? 1 : calls;
  const counted = apart === undefined ? true : areWithin(first, second, apart, places);
  const timed = most === undefined ? true : followsWithin(first, second, most);
  const ended = clause.ended === true ? hasEndedBefore(first, second) : true;
  const answers = [counted, timed, ended];
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/** Whether a call comes at most so many places after another one that it follows. */
function areWithin(
  first: Call,
  second: Call,
  most: number,
  places: ReadonlyMap<string, Places>,
): boolean | undefined {
  const [from, to] = [places.get(first.event.event_id), places.get(second.event.event_id)];
  if (from === undefined || to === undefined) return undefined;
  if (to.last - from.first <= most) return true;
  return to.first - from.last > most ? false : undefined;
}
