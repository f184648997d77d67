/**
 * @module RootFacts: everything computed from the settled events of a root: its turns,
 * waterfall, supply, insights and verdict.
 */
import { foldTurns, readSupply, reconcileSettled, viewSettled } from "@turnproof/evidence";
import type {
  CausalWaterfall,
  Insights,
  Supply,
  TurnEvent,
  TurnRow,
  Verdict,
  WindowMetadata,
} from "@turnproof/evidence";

/** What the events alone determine, however and whenever they were read. */
export interface RootFacts {
  readonly turns: readonly TurnRow[];
  readonly waterfall: CausalWaterfall;
  readonly supply: Supply;
  /** Insights of each turn. */
  readonly insights: Insights;
}

/** Everything computed from some events. */
export interface JudgedFacts extends RootFacts {
  /** The strict verdict over the events, judged at this moment. */
  readonly verdict: Verdict;
}

/** Computes the facts of some settled events. */
export function factsOf(events: readonly TurnEvent[]): RootFacts {
  return { turns: foldTurns(events), supply: readSupply(events), ...viewSettled(events) };
}

/** The strict verdict over settled events; `metadata`: how they were read. */
export function verdictOf(events: readonly TurnEvent[], metadata: WindowMetadata): Verdict {
  return reconcileSettled(events, { normalizationMetadata: metadata });
}
