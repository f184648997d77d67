/** @module JudgePins: models, releases and services that a turn may use, and no others. */
import type { TurnEvent } from "@turnproof/evidence";

import type { ClauseOf } from "../language/clauses.ts";
import { judged, listed } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { named } from "./matching.ts";
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

/** Every service that recorded a part of the turn is pinned. */
export function judgeServices({ pinned }: ClauseOf<"services">, facts: TurnFacts): ClauseJudgement {
  return judgePins(pinned, "service", facts, facts.events, (event) => {
    const name = event.service_name ?? event.application_id;
    return name === undefined ? [] : [name];
  });
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
