/**
 * @module MeasureLosses: events that producers reported as lost. A loss counts in the window in
 * which its report became known, whatever the report's own time.
 */
import { lossIntervals } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

import { isTrusted, knownMs, producerReports } from "../judge/losses.ts";
import type { JudgeParts } from "../parts.ts";

/** Lost events by a time, epoch milliseconds. */
export type LostBy = (atMs: number) => number;

/** Counts those that were known by a time. */
export async function lostEvents(
  parts: JudgeParts,
  knownAt: (report: TurnEvent) => number = (report) => knownMs(parts, report),
): Promise<LostBy> {
  const reports = (await producerReports(parts))
    .filter(isTrusted)
    .map((report) => ({ report, atMs: knownAt(report) }))
    .toSorted((a, b) => a.atMs - b.atMs);
  const times = reports.map(({ atMs }) => atMs);
  const lostOf = new Map<number, number>();
  return (atMs) => {
    const known = times.findLastIndex((at) => at <= atMs) + 1;
    let lost = lostOf.get(known);
    if (lost === undefined) {
      const own = reports.slice(0, known).map(({ report }) => report);
      lost = lossIntervals(own).reduce((sum, one) => sum + one.lost, 0);
      lostOf.set(known, lost);
    }
    return lost;
  };
}

/** Losses that became known in the window that ends then. */
export function lostIn(lostBy: LostBy, endMs: number, sizeMs: number): number {
  return Math.max(0, lostBy(endMs) - lostBy(endMs - sizeMs));
}
