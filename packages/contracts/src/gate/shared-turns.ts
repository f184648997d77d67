/**
 * @module SharedTurns: turns that are on both sides of a gate. They are left out of the baseline,
 * so that the candidate is compared with turns that are none of its own.
 */
import type { GateReport } from "./gate-report.ts";

/** A gate's answer with the turns that were on both sides. */
export type SharedReport = GateReport & {
  /** Turns on both sides, which were left out of the baseline. */
  readonly shared: number;
  /** What limits the answer, in sentences. */
  readonly warnings: readonly string[];
};

/** The answer with the number of shared turns, and a warning where there are any. */
export function withShared(report: GateReport, shared: number): SharedReport {
  const own = shared === 0 ? [] : [sharedTexts(shared)];
  return { ...report, shared, warnings: [...own, ...(report.warnings ?? [])] };
}

function sharedTexts(shared: number): string {
  const what =
    shared === 1 ? "1 turn is on both sides: it is" : `${shared} turns are on both sides: they are`;
  return (
    `${what} left out of the baseline, which is compared without the turns of the candidate. ` +
    "Name sides that have no turn in common."
  );
}
