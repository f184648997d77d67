/**
 * @module GateSides: the two sets of turns of a gate, without those that both have, and with the
 * oldest first.
 */
import { turnKey } from "@turnproof/evidence";
import { CodedError, compareTimes } from "@turnproof/semconv";

import type { SideTurn } from "./gate-turns.ts";

/** Both sides as they are compared. */
export interface GateSides {
  /** Turns that are none of the candidate. */
  readonly baseline: readonly SideTurn[];
  readonly candidate: readonly SideTurn[];
  /** Turns on both sides, which were left out of the baseline. */
  readonly shared: number;
}

/**
 * Leaves out of the baseline what is a turn of the candidate as well. A turn without a root and an
 * id of its own is on one side only. Of a case that has more turns on one side, the gate compares
 * the first ones: these are its oldest, because what failed is run again, and the last attempt is
 * one that holds.
 *
 * @throws CodedError `sides_overlap` where every turn of the baseline is one of the candidate
 */
export function gateSides(
  baseline: readonly SideTurn[],
  candidate: readonly SideTurn[],
): GateSides {
  const others = new Set(candidate.flatMap((one) => keyOf(one) ?? []));
  const own = baseline.filter((one) => !others.has(keyOf(one) ?? ""));
  const shared = baseline.length - own.length;
  if (shared > 0 && own.length === 0) throw new CodedError("sides_overlap");
  return { baseline: oldestFirst(own), candidate: oldestFirst(candidate), shared };
}

function oldestFirst(turns: readonly SideTurn[]): readonly SideTurn[] {
  return turns.toSorted((a, b) => {
    if (a.began === undefined || b.began === undefined) {
      return Number(a.began === undefined) - Number(b.began === undefined);
    }
    return compareTimes(a.began, b.began);
  });
}

function keyOf({ turn }: SideTurn): string | undefined {
  const { root_trace_id: root, turn_id: id, agent_id, thread_id } = turn;
  if (root === null && id === null) return undefined;
  return turnKey({
    ...(turn.user_id === undefined ? {} : { user_id: turn.user_id }),
    ...(root === null ? {} : { root_trace_id: root }),
    ...(id === null ? {} : { turn_id: id }),
    ...(agent_id === null ? {} : { agent_id }),
    ...(thread_id === null ? {} : { thread_id }),
  });
}
