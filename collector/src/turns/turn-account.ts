/**
 * @module TurnAccount: everything computed from the events of a root: its turns, waterfall,
 * supply, verdict and insights.
 */
import {
  buildCausalWaterfall,
  findInsights,
  foldTurns,
  readSupply,
  reconcileOutcome,
} from "@turnproof/evidence";
import type {
  CausalWaterfall,
  Insights,
  Supply,
  TurnEvent,
  TurnRow,
  Verdict,
  WindowMetadata,
} from "@turnproof/evidence";

/** Everything computed from some events. */
export interface TurnAccount {
  readonly turns: readonly TurnRow[];
  readonly waterfall: CausalWaterfall;
  readonly supply: Supply;
  /** The strict verdict over the events, judged at this moment. */
  readonly verdict: Verdict;
  /** Insights of each turn. */
  readonly insights: Insights;
}

/** Computes the account of some events; `metadata`: how they were read. */
export function accountOf(events: readonly TurnEvent[], metadata: WindowMetadata): TurnAccount {
  return {
    turns: foldTurns(events),
    waterfall: buildCausalWaterfall(events),
    supply: readSupply(events),
    verdict: reconcileOutcome(events, { normalizationMetadata: metadata }),
    insights: findInsights(events, { scope: "turn" }),
  };
}
