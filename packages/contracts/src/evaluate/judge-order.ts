/**
 * @module JudgeOrder: which call comes before which, in every possible order of the calls. In a
 * part of a window a missing call may be the one that the order needs, so only the whole decides.
 */
import type { ClauseOf } from "../language/clauses.ts";
import type { Call } from "./call.ts";
import { placesOf } from "./call-order.ts";
import type { Places } from "./call-order.ts";
import { partnersOf } from "./call-partners.ts";
import type { Following } from "./call-partners.ts";
import { judged } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { candidates, described, find } from "./matching.ts";
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
  const forbids = clause.never_after !== undefined;
  const anchors = forbids ? own.certain : others.certain;
  const partners = forbids ? others.certain : own.certain;
  const found = partnersOf(
    { calls: anchors, partners, areFirst: clause.after !== undefined, rule: followingOf(clause) },
    placesAmong(clause, other, facts),
  );
  const breaking = forbids ? "always" : "never";
  const wrong = anchors.filter((_, at) => found[at] === breaking);
  const open = anchors.filter((_, at) => found[at] === "sometimes");
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

function followingOf(clause: ClauseOf<"order">): Following {
  const { ended, immediately, within_ms: most, within_calls: calls } = clause;
  return {
    ended: ended === true,
    withinMs: most ?? Infinity,
    withinCalls: immediately === true ? 1 : (calls ?? Infinity),
  };
}

const anywhere: Places = { first: 0, last: 0 };

/** Places among all calls of the kinds that the clause is about, where the clause counts places. */
function placesAmong(
  clause: ClauseOf<"order">,
  other: Parameters<typeof candidates>[0],
  facts: TurnFacts,
): (call: Call) => Places {
  if (clause.immediately === undefined && clause.within_calls === undefined) return () => anywhere;
  const calls = new Map<string, Call>();
  for (const call of [...candidates(clause, facts), ...candidates(other, facts)]) {
    calls.set(call.event.event_id, call);
  }
  const places = placesOf([...calls.values()]);
  const byId = new Map([...calls.keys()].map((id, at) => [id, places[at]]));
  return ({ event }) => byId.get(event.event_id) ?? anywhere;
}
