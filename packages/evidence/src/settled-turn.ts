/** @module SettledTurn: verdict and insights of one turn over events that were settled already. */
import type { TurnEvent } from "./event.ts";
import { insightsIn } from "./insights.ts";
import type { Insight } from "./insights.ts";
import { judgeWindow } from "./reconcile.ts";
import type { ReconcileOptions, Verdict } from "./reconcile.ts";
import { settledWindow } from "./window-events.ts";

/** What the rules find of a turn. */
export interface TurnFindings {
  readonly verdict: Verdict;
  readonly insights: readonly Insight[];
}

/**
 * Judges one turn as `reconcileOutcome` does and finds its insights as `findInsights` does, without
 * checking again what a store has settled.
 *
 * @param events of one turn, as a store gives them: resolved over the whole root, each once
 */
export function judgeSettledTurn(
  events: readonly TurnEvent[],
  options: ReconcileOptions,
): TurnFindings {
  const read = settledWindow(events);
  const verdict = judgeWindow(read, events, options);
  return { verdict, insights: insightsIn(read, { scope: "turn" }).insights };
}
