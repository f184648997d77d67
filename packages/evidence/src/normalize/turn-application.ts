/**
 * @module TurnApplication: evidence belongs to the application of its turn, whichever service
 * recorded it; that service is kept as its producer. Several services may work on one turn, and
 * evidence split by service could never complete it.
 */
import { compareTimes } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { compareText } from "../event/text-order.ts";
import { turnFields } from "../event/turn-key.ts";
import { isUntrusted } from "./untrusted.ts";

/** The application in the turn events of one turn. */
interface Owner {
  readonly application: string;
  readonly began: string;
}

/**
 * The events with the application of their turn: that of its first attempt, by turn events of
 * trusted producers. Evidence of another service gets it as `service_name`. An event without a
 * turn, or of a turn whose own events are missing, is unchanged. Returns the same list where
 * nothing changes.
 */
export function inTurnApplication<T extends readonly TurnEvent[]>(events: T): T | TurnEvent[] {
  const turns = createIdentityTable(turnFields);
  const owners = new Map<number, Owner>();
  for (const event of events) {
    if (event.event_kind !== "turn" || event.turn_id === undefined) continue;
    if (isUntrusted(event)) continue;
    const { application_id: application } = event;
    if (application === undefined) continue;
    const turn = turns.idOf(event);
    const began = event.started_at ?? event.timestamp;
    const known = owners.get(turn);
    if (known === undefined || isBefore({ application, began }, known)) {
      owners.set(turn, { application, began });
    }
  }
  if (owners.size === 0) return events;
  let moved: TurnEvent[] | undefined;
  for (const [at, event] of events.entries()) {
    const { application_id: own } = event;
    if (own === undefined || event.turn_id === undefined) continue;
    const owner = owners.get(turns.idOf(event));
    if (owner === undefined || owner.application === own) continue;
    moved ??= events.slice();
    const service = event.service_name ?? own;
    moved[at] = { ...event, application_id: owner.application, service_name: service };
  }
  return moved ?? events;
}

function isBefore(a: Owner, b: Owner): boolean {
  return (compareTimes(a.began, b.began) || compareText(a.application, b.application)) < 0;
}
