/**
 * @module PackLosses: what producers report as dropped, as a pack states it: by their reports of
 * the window, as a lower bound where one of them did not report, and never as a total then.
 */
import type { HealthRange } from "../../pages/health/range.ts";
import type { PackDropped, PackFacts } from "./pack-facts.ts";

/** The reported losses of a range; null where the reports could not be read. */
export function droppedOf(range: Pick<HealthRange, "processes"> | null): PackDropped | null {
  if (range === null) return null;
  const reported = range.processes.filter(({ lost }) => lost !== null);
  return {
    at_least:
      reported.length === 0 ? null : reported.reduce((sum, { lost }) => sum + (lost ?? 0), 0),
    reported: reported.length,
    producers: range.processes.length,
    active_since: reported.filter(({ lost_state: state }) => state === "at_least").length,
  };
}

/** Whether the figure is all that producers dropped, by their reports. */
function isTotal({
  at_least: known,
  reported,
  producers,
  active_since: late,
}: PackDropped): boolean {
  return known !== null && reported === producers && late === 0;
}

/** The figure and who reported it. */
export function droppedText(dropped: PackFacts["losses"]["dropped_by_producers"]): string {
  if (dropped === null) return "unknown";
  if (typeof dropped === "number") return String(dropped);
  const { at_least: known, reported, producers, active_since: late } = dropped;
  if (producers === 0) return "unknown: the window has no producer";
  if (known === null) return `unknown: none of ${producers} producers reported its losses`;
  if (isTotal(dropped)) return `${known}, reported by all ${producers} producers`;
  const silent = reported === producers ? "" : "; the others reported nothing";
  const since = late === 0 ? "" : `; ${late} of those sent events after their last report`;
  return `at least ${known}, reported by ${reported} of ${producers} producers${since}${silent}`;
}

/** Why the figure leaves recording partial; empty where all reported and none lost anything. */
export function droppedReasons(facts: PackFacts): readonly string[] {
  const { dropped_by_producers: dropped } = facts.losses;
  if (dropped !== null && typeof dropped === "object") {
    return isTotal(dropped) && dropped.at_least === 0
      ? []
      : [`spans dropped by producers: ${droppedText(dropped)}`];
  }
  if ((facts.rules ?? 0) >= 5) return ["the reports of producers' losses could not be read"];
  return [
    ...(dropped === null ? ["not every producer reported its losses"] : []),
    ...((dropped ?? 0) > 0 ? ["producers report dropped spans"] : []),
  ];
}
