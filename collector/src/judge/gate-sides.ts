/** @module GateSides: the two sets of turns of a gate, without those that both have. */
import { turnKey } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { SideTurn } from "./gate-turns.ts";

/** Turns of the baseline that are none of the candidate, and how many were left out for that. */
export interface OwnBaseline {
  readonly turns: readonly SideTurn[];
  readonly shared: number;
}

/**
 * Leaves out of the baseline what is a turn of the candidate as well. A turn without a root and an
 * id of its own is on one side only.
 *
 * @throws CodedError `sides_overlap` where every turn of the baseline is one of the candidate
 */
export function ownBaseline(
  baseline: readonly SideTurn[],
  candidate: readonly SideTurn[],
): OwnBaseline {
  const others = new Set(candidate.flatMap((one) => keyOf(one) ?? []));
  const turns = baseline.filter((one) => !others.has(keyOf(one) ?? ""));
  const shared = baseline.length - turns.length;
  if (shared > 0 && turns.length === 0) throw new CodedError("sides_overlap");
  return { turns, shared };
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
