/** @module JudgePins: models, releases and services that a turn may use, and no others. */
import type { TurnEvent } from "@turnproof/evidence";

import type { ClauseOf } from "../language/clauses.ts";
import { limited } from "./judge-budgets.ts";
import { judged, listed } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { named } from "./matching.ts";
import { allOf } from "./three-values.ts";
import type { NumberLimits } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Every model that a call names in its request or response is pinned. */
export function judgeModel({ pinned }: ClauseOf<"model">, facts: TurnFacts): ClauseJudgement {
  return judgePins(pinned, "model", facts, facts.of("model_call"), ({ attributes: stated }) =>
    [stated.response_model, stated.model].filter((name) => name !== undefined),
  );
}

/** Every release among the events is pinned. */
export function judgeRelease({ pinned }: ClauseOf<"release">, facts: TurnFacts): ClauseJudgement {
  return judgePins(pinned, "release", facts, facts.of("turn"), releaseOf, facts.events);
}

function releaseOf({ attributes }: TurnEvent): readonly string[] {
  return attributes.service_version === undefined ? [] : [attributes.service_version];
}

/** The services that recorded a part of the turn: which they are, and how many. */
export function judgeServices(clause: ClauseOf<"services">, facts: TurnFacts): ClauseJudgement {
  const { pinned, at_least, at_most } = clause;
  const read = (event: TurnEvent): string[] => {
    const name = event.service_name ?? event.application_id;
    return name === undefined ? [] : [name];
  };
  const parts = [
    ...(pinned === undefined ? [] : [judgePins(pinned, "service", facts, facts.events, read)]),
    ...(at_least === undefined && at_most === undefined ? [] : [judgeNumber(clause, facts, read)]),
  ];
  const result = allOf(parts.map((part) => part.result));
  return parts.find((part) => part.result === result) ?? judged(result, "Nothing is required.");
}

/** A part without a name may be one of a further service. */
function judgeNumber(
  limits: NumberLimits,
  facts: TurnFacts,
  read: (event: TurnEvent) => readonly string[],
): ClauseJudgement {
  const low = new Set(facts.events.flatMap(read)).size;
  const nameless = facts.events.filter((event) => read(event).length === 0).length;
  const high = facts.closed ? low + nameless : Number.POSITIVE_INFINITY;
  return limited({ low, high }, limits, "The turn was recorded by", "services", facts.events);
}

/**
 * A name that is not pinned decides; `needing` are the events without which a name is unknown, and
 * `all` those of which every name counts.
 */
function judgePins(
  pinned: readonly string[],
  noun: string,
  facts: TurnFacts,
  needing: readonly TurnEvent[],
  read: (event: TurnEvent) => readonly string[],
  all: readonly TurnEvent[] = needing,
): ClauseJudgement {
  const others = all.filter((event) => read(event).some((name) => named(pinned, name) === false));
  if (others.length > 0) {
    const names = [...new Set(others.flatMap(read))].filter((name) => !named(pinned, name));
    const sentence = `Not pinned: ${noun} ${listed(names.slice(0, 5), "and")}.`;
    return judged("violated", sentence, others);
  }
  const open = needing.filter((event) => event.phase !== "start" && read(event).length === 0);
  if (!facts.closed || open.length > 0) {
    const sentence = facts.closed ? `A ${noun} is not recorded.` : `A ${noun} may be missing.`;
    return judged("not_established", sentence, open);
  }
  return judged("holds", `Every ${noun} is pinned.`, needing);
}
