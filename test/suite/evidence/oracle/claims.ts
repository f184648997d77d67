/**
 * @module Claims: whose evidence is whose (Reconciliation 5 and 6). A labelled event serves its own
 * task; an unlabelled one serves an intent only where the turn has exactly one.
 */
import { ofKind, text } from "./reading.ts";
import type { Json } from "./reading.ts";

/** An intent and what may satisfy it. */
export interface Claim {
  readonly intent: Json;
  /** Every event of its turn, whatever its label. */
  readonly turn: readonly Json[];
  /** Those of its task. */
  readonly own: readonly Json[];
}

/** True where the event is evidence of the intent. */
function serves(event: Json, intent: Json, turn: readonly Json[]): boolean {
  const label = text(event, "task_id");
  if (label !== undefined) return label === text(intent, "task_id");
  return ofKind(turn, "intent").length === 1;
}

/** The intents of a turn with their evidence. */
export function claimsOf(turn: readonly Json[], taskId: string | null): Claim[] {
  return ofKind(turn, "intent")
    .filter((intent) => taskId === null || intent["task_id"] === taskId)
    .map((intent) => ({ intent, turn, own: turn.filter((event) => serves(event, intent, turn)) }));
}
