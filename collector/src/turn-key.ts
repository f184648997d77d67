/**
 * @module TurnKey: which turn an event, a row and a verdict belong to: the groups of the lists. Who
 * is absent is nobody, and equals only nobody.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** The fields that tell turns apart. */
type TurnIdentity = Partial<
  Pick<TurnEvent, "root_trace_id" | "turn_id" | "agent_id" | "thread_id" | "user_id">
>;

/** Equal texts for what is of one turn. */
export function turnKey(of: TurnIdentity): string {
  const user = of.user_id === undefined ? [] : [of.user_id];
  return JSON.stringify([
    of.root_trace_id ?? "",
    of.turn_id ?? "",
    of.agent_id ?? "",
    of.thread_id ?? "",
    user,
  ]);
}
