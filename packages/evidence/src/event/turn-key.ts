/**
 * @module TurnKey: the turn of an event, a row or a verdict. It is the only identity of a turn:
 * the fold groups by it, the judge judges by it and every store keeps the newest verdict under it.
 *
 * The application is not part of it. Evidence belongs to the application of its turn, which may
 * become known only when the turn's own event arrives, after a child from another service was
 * stored and judged; the key of a turn never changes by that.
 */
import type { Identity } from "@turnproof/semconv";

/** The fields that identify a turn. */
export const turnFields = ["agent_id", "user_id", "thread_id", "root_trace_id", "turn_id"] as const;

/** Identity of a turn; `user_id` null is anonymous, absent is unattributed. */
export type TurnKeyFields = Partial<Pick<Identity, (typeof turnFields)[number]>>;

/**
 * Equal texts for events of one turn. An absent id equals an empty one, as verdicts store it; the
 * three states of the tenant stay distinct.
 */
export function turnKey(of: TurnKeyFields): string {
  const user = of.user_id === undefined ? [] : [of.user_id];
  return JSON.stringify([
    of.root_trace_id ?? "",
    of.turn_id ?? "",
    of.agent_id ?? "",
    of.thread_id ?? "",
    user,
  ]);
}
