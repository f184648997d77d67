/**
 * @module LatestVerdicts: of all verdicts on a turn the newest stands. A store of an earlier
 * release may hold several for one turn, under a key that had the application in it; readers see
 * one.
 */
import { compareTimes, turnKey } from "@turnproof/evidence";

import type { TurnVerdict } from "./evidence-store.ts";

/**
 * One verdict per turn, by its key: the latest judged, of these the one that rests on more, of
 * these the last of the list.
 */
export function latestVerdicts(verdicts: Iterable<TurnVerdict>): Map<string, TurnVerdict> {
  const latest = new Map<string, TurnVerdict>();
  keepLatest(latest, verdicts);
  return latest;
}

/** Adds verdicts to those that are held by turn; where one is held, the newest stays. */
export function keepLatest(held: Map<string, TurnVerdict>, verdicts: Iterable<TurnVerdict>): void {
  for (const verdict of verdicts) {
    const key = turnKey(verdict);
    const known = held.get(key);
    if (known === undefined || !isNewer(known, verdict)) held.set(key, verdict);
  }
}

/** Times of different stores have different numbers of digits; their texts do not compare. */
function isNewer(a: TurnVerdict, b: TurnVerdict): boolean {
  return (compareTimes(a.judged_at, b.judged_at) || compareTimes(a.as_of, b.as_of)) > 0;
}
