/**
 * @module JudgeLosses: losses that a producer reports after its turns were judged (design 6.4). No
 * verdict is a success while a loss of one of its producers is known, so the judge goes back to
 * where that producer began.
 */
import { compareTimes, readLosses } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

/** Producers that are remembered; of one that was forgotten, old turns keep their verdict. */
const producersMax = 10_000;

/** What the judge remembers of the producers whose turns it judged. */
export interface LateLosses {
  /** Remembers the producers of a window that is judged. */
  judged(events: readonly TurnEvent[]): void;
  /**
   * The receipt from which turns have to be judged again, because a producer of theirs reports its
   * first loss; undefined when none does.
   */
  since(reports: readonly TurnEvent[]): string | undefined;
}

/** Remembers nothing yet. */
export function createLateLosses(): LateLosses {
  /** Producers without a known loss, and the earliest receipt of theirs that was judged. */
  const clean = new Map<string, string>();
  /** Producers whose loss is known: their turns are judged with it. */
  const lossy = new Set<string>();
  return {
    judged(events) {
      for (const { producer_id: id, received_at: at } of events) {
        if (id === undefined || at === undefined || lossy.has(id)) continue;
        const known = clean.get(id);
        if (known === undefined || compareTimes(at, known) < 0) clean.set(id, at);
      }
      bound(clean);
    },
    since(reports) {
      let earliest: string | undefined;
      for (const loss of readLosses(reports, { filtered: true }).producers) {
        const id = loss.producer_id;
        const lost = (loss.lost ?? 0) + (loss.sampled_out ?? 0) + (loss.write_failures ?? 0);
        if (id === null || lost === 0 || lossy.has(id)) continue;
        const from = clean.get(id);
        clean.delete(id);
        lossy.add(id);
        if (from === undefined) continue;
        if (earliest === undefined || compareTimes(from, earliest) < 0) earliest = from;
      }
      bound(lossy);
      return earliest;
    },
  };
}

/** The longest remembered goes first. */
function bound(known: Map<string, string> | Set<string>): void {
  for (const id of known.keys()) {
    if (known.size <= producersMax) return;
    known.delete(id);
  }
}
