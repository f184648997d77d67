/**
 * @module LostEvidence: the turns that were open while evidence was lost, by the reasons of their
 * verdicts. Health and Incidents count them here, so that both have one number for one range.
 */
import type { TurnCondition, TurnQuery, TurnReader } from "@turnproof/store";

/** Turns that a loss may concern. */
export interface LostEvidence {
  readonly turns: number;
  /** Turns that may be among them: not judged, or by a version that recorded no reasons. */
  readonly turns_unknown: number;
}

/** The verdict names a loss as one of its reasons. */
export const isLost: TurnCondition = { list: "flag", has: "lost" };

/** A success or a failure rests on a whole window, whichever version judged it. */
const mayBeLost: readonly TurnCondition[] = [
  { list: "flag", has: "reasons", not: true },
  { text: "verdict", is: "success", not: true },
  { text: "verdict", is: "failed", not: true },
];

/** Counts the turns of a query that a loss may concern. */
export async function lostEvidence(ledger: TurnReader, query: TurnQuery): Promise<LostEvidence> {
  const count = (...where: readonly TurnCondition[]): Promise<number> =>
    ledger.countTurns({ ...query, where: [...query.where, ...where] });
  const [turns, turns_unknown] = await Promise.all([count(isLost), count(...mayBeLost)]);
  return { turns, turns_unknown };
}
