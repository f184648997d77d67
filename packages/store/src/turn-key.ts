/** @module TurnKey: what makes two events, or two verdicts, of the same turn. */
import type { IdentityTuple } from "@turnproof/evidence";

/**
 * Equal texts for what is of one turn of one tenant: events with this key are of one bundle, and of
 * verdicts with it the latest judged stands. It is the whole identity tuple.
 */
export function turnKey(of: IdentityTuple): string {
  return JSON.stringify([
    of.application_id,
    of.agent_id,
    of.user_id === undefined ? 0 : of.user_id,
    of.thread_id,
    of.root_trace_id,
    of.turn_id,
  ]);
}
