/**
 * @module SettledTurn: verdict, waterfall and insights from settled events: as read from a store,
 * resolved over their whole roots, each once. The checks of a store are not repeated.
 */
import type { TurnEvent } from "./event/event.ts";
import { insightsIn } from "./insights/insights.ts";
import type { Insight, Insights } from "./insights/insights.ts";
import { judgeWindow } from "./reconcile/reconcile.ts";
import type { ReconcileOptions, Verdict } from "./reconcile/reconcile.ts";
import { settledWindow } from "./normalize/window-events.ts";
import { waterfallOf } from "./waterfall/waterfall.ts";
import type { CausalWaterfall } from "./waterfall/causal-waterfall.ts";

/** Findings of the rules on a turn. */
export interface TurnFindings {
  readonly verdict: Verdict;
  readonly insights: readonly Insight[];
}

/**
 * Judges one turn like `reconcileOutcome` and finds its insights like `findInsights`.
 *
 * @param events of one turn
 */
export function judgeSettledTurn(
  events: readonly TurnEvent[],
  options: ReconcileOptions,
): TurnFindings {
  const read = settledWindow(events);
  const verdict = judgeWindow(read, events, options);
  return { verdict, insights: insightsIn(read, { scope: "turn" }).insights };
}

/** `reconcileOutcome` of settled events. */
export function reconcileSettled(events: readonly TurnEvent[], options: ReconcileOptions): Verdict {
  return judgeWindow(settledWindow(events), events, options);
}

/** What the turns of a root show. */
export interface SettledView {
  readonly waterfall: CausalWaterfall;
  /** Of each turn. */
  readonly insights: Insights;
}

/** `buildCausalWaterfall` and `findInsights` of settled events. */
export function viewSettled(events: readonly TurnEvent[]): SettledView {
  const read = settledWindow(events);
  return { waterfall: waterfallOf(read), insights: insightsIn(read, { scope: "turn" }) };
}
