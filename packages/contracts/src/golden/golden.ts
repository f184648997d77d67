/**
 * @module Golden: the trajectory of a turn without its content: kinds, names, outcomes and keyed
 * fingerprints of its calls in order.
 */
import type { TurnEvent } from "@turnproof/evidence";

import { callsOf } from "../evaluate/call.ts";
import type { Call } from "../evaluate/call.ts";
import type { GoldenStep } from "../language/clauses.ts";
import type { Golden } from "../language/contract.ts";

/** The calls of a turn as steps. */
export function stepOf({ kind, name, outcome, event }: Call): GoldenStep {
  const { call_fingerprint: fingerprint } = event.attributes;
  return {
    kind,
    name: name ?? null,
    ...(outcome === undefined ? {} : { outcome }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

/**
 * The golden trajectory of one turn. `events` are those of the turn alone, of a window that was
 * read whole; `name` is what a trajectory clause refers to.
 */
export function goldenOf(name: string, events: readonly TurnEvent[]): Golden {
  const first = events[0];
  return {
    golden: name,
    steps: callsOf(events, true).map(stepOf),
    ...(first?.root_trace_id === undefined
      ? {}
      : {
          recorded_from: { root_trace_id: first.root_trace_id, turn_id: first.turn_id ?? null },
        }),
  };
}
