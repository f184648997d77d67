/**
 * @module Journal tally: the place of every durable item, from the counters of the journal and of
 * its drain. Each item is in exactly one place (collector: Receive).
 */
import type { DrainStats, JournalStats } from "@turnproof/journal";

import type { JournalTally } from "../conservation.ts";

/** The places of all items that this process found or appended. */
export function tallyOf(
  { appendedSpans, pendingSpans, lostSpans, damaged }: JournalStats,
  { quarantinedEvents }: Pick<DrainStats, "quarantinedEvents">,
  recovered: number,
): JournalTally {
  // A row is quarantined just before its batch leaves the journal; damaged rows were never stored.
  const stored = Math.max(0, appendedSpans - pendingSpans - quarantinedEvents - lostSpans);
  const pending = appendedSpans - stored - quarantinedEvents - lostSpans;
  return {
    // What was found damaged was found all the same: it is on both sides.
    recovered: recovered + damaged.spans,
    stored,
    pending,
    quarantined: quarantinedEvents,
    lost: lostSpans + damaged.spans,
    lostFramesUncounted: damaged.framesUncounted,
    lostIsLowerBound: damaged.isLowerBound,
  };
}
