/**
 * @module Golden: the trajectory of a turn without its content: kinds, names, outcomes and keyed
 * fingerprints of its calls in order.
 */
import { certainResult, turnWindows } from "@turnproof/evidence";
import type { TurnEvent, TurnWindow, WindowMetadata } from "@turnproof/evidence";

import { callsOf } from "../evaluate/call.ts";
import type { Call } from "../evaluate/call.ts";
import { hasKnownOrder } from "../evaluate/step-order.ts";
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
  const calls = callsOf(events, true);
  const steps = calls.map(stepOf);
  const made = steps.map((step) => JSON.stringify(step));
  return {
    golden: name,
    steps,
    ...(hasKnownOrder(made, calls) ? {} : { ordered: false }),
    ...(first?.root_trace_id === undefined
      ? {}
      : {
          recorded_from: { root_trace_id: first.root_trace_id, turn_id: first.turn_id ?? null },
        }),
  };
}

/** Goldens of the turns of a window, and how many turns give none. */
export interface Goldens {
  readonly goldens: readonly Golden[];
  /** Turns that did not end, whose window is not whole, or with evidence of untrusted producers. */
  readonly left_out: number;
}

/**
 * The golden trajectories of the whole turns of a window, named after agent and turn.
 *
 * @param taken names that others have; a name that occurs twice gets a number
 */
export function goldensOf(
  input: readonly unknown[],
  metadata: WindowMetadata | undefined,
  taken: Set<string> = new Set(),
): Goldens {
  const { turns } = turnWindows(input, metadata);
  const whole = turns.filter(isWhole);
  const goldens = whole.map(({ events }) => goldenOf(nameOf(events[0], taken), events));
  return { goldens, left_out: turns.length - whole.length };
}

function isWhole({ events, window }: TurnWindow): boolean {
  const trusted = events.every(({ ingest_trusted: of }) => of !== false);
  return window.complete && trusted && certainResult(events, true) !== undefined;
}

/** Agent and turn in the characters of a label. */
function nameOf({ agent_id: agent, turn_id: turn }: TurnEvent, taken: Set<string>): string {
  const text = `${agent ?? "agent"}/${turn ?? "turn"}`.replace(/[^A-Za-z0-9._/-]/gu, "-");
  const name = text.replace(/^[^A-Za-z0-9]+/u, "").slice(0, 100) || "turn";
  let free = name;
  for (let at = 2; taken.has(free); at += 1) free = `${name}-${at}`;
  taken.add(free);
  return free;
}
