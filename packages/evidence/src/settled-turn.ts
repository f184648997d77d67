/** @module SettledTurn: verdict and insights of one turn from settled events. */
import type { TurnEvent } from "./event/event.ts";
import { insightsIn } from "./insights/insights.ts";
import type { Insight } from "./insights/insights.ts";
import { judgeWindow } from "./reconcile/reconcile.ts";
import type { ReconcileOptions, Verdict } from "./reconcile/reconcile.ts";
import { settledWindow } from "./normalize/window-events.ts";

/** Findings of the rules on a turn. */
export interface TurnFindings {
  readonly verdict: Verdict;
  readonly insights: readonly Insight[];
}

/**
 * Judges one turn like `reconcileOutcome` and finds its insights like `findInsights`, without
 * repeating the checks of a store.
 *
 * @param events of one turn, as read from a store: resolved over the whole root, each once
 */
export function judgeSettledTurn(
  events: readonly TurnEvent[],
  options: ReconcileOptions,
): TurnFindings {
  const read = settledWindow(events);
  const verdict = judgeWindow(read, events, options);
  return { verdict, insights: insightsIn(read, { scope: "turn" }).insights };
}
