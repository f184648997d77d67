/** @module Contracts: what an agent's turn must do, judged from evidence in three values. */
export { defaultContract } from "./default-contract.ts";
export { digestOfEvidence, evaluateSettledTurn, evaluateTurns } from "./evaluate/evaluate.ts";
export type {
  ClauseResult,
  ContractResult,
  EvaluateOptions,
  JudgedTurn,
  TurnResult,
  WindowMarks,
} from "./evaluate/evaluate.ts";
export { allOf, implies, outcomes, within } from "./evaluate/three-values.ts";
export type { NumberLimits, Outcome, Range } from "./evaluate/three-values.ts";
export type { CallToPrice, PriceOf } from "./evaluate/turn-facts.ts";
export { gate } from "./gate/gate.ts";
export type {
  ContractComparison,
  ContractTrials,
  GateOutcome,
  GatePlan,
  GatePlans,
  GateReport,
  GateSettings,
  GrowthPlan,
  MeasureComparison,
  MeasureTrials,
  SideShare,
} from "./gate/gate-report.ts";
export { compareShares } from "./gate/compare-shares.ts";
export type { Share, ShareComparison } from "./gate/compare-shares.ts";
export { holm } from "./gate/holm.ts";
export { withShared } from "./gate/shared-turns.ts";
export type { SharedReport } from "./gate/shared-turns.ts";
export { shareInterval } from "./gate/intervals.ts";
export type { Interval } from "./gate/intervals.ts";
export { percentileRanks } from "./gate/percentile-ranks.ts";
export { compareRatios, ratioOf } from "./gate/ratios.ts";
export type { Ratio, RatioComparison, RatioPart } from "./gate/ratios.ts";
export { highOf, lowOf } from "./gate/measures.ts";
export type { Measured, SideMeasure } from "./gate/measures.ts";
export { comparedTurns } from "./gate/pairing.ts";
export type { OfSides, PairingCounts } from "./gate/pairing.ts";
export type { PassK } from "./gate/pass-k.ts";
export { planGate, planTogether } from "./gate/plan.ts";
export { planGrowth } from "./gate/plan-growth.ts";
export type { TrialCount, Trial, TrialResult } from "./gate/trials.ts";
export { gateMarkdown } from "./report/gate-markdown.ts";
export {
  chance,
  changeTexts,
  intervalTexts,
  measureName,
  measureOutcome,
  medianTexts,
  notAppliedName,
  notRecordedTexts,
  outcomeTexts,
  pairingTexts,
  passTexts,
  planLines,
  sideTexts,
} from "./report/gate-texts.ts";
export { gateText } from "./report/gate-text.ts";
export { goldenOf, goldensOf } from "./golden/golden.ts";
export type { Goldens } from "./golden/golden.ts";
export type {
  Clause,
  ClauseName,
  ClauseOf,
  Condition,
  GoldenStep,
  Severity,
} from "./language/clauses.ts";
export { ContractError, defineContract } from "./language/contract.ts";
export type { TurnContract, Golden } from "./language/contract.ts";
export { problemText } from "./language/problems.ts";
export type { ContractProblem } from "./language/problems.ts";
export { contractJsonSchema, parseContracts, readContracts } from "./language/contract-file.ts";
export type { ContractLines, ContractSet } from "./language/contract-file.ts";
export { githubReport } from "./report/github.ts";
export { junitReport } from "./report/junit.ts";
export { markdownReport } from "./report/markdown.ts";
export { sarifReport } from "./report/sarif.ts";
export type { ContractPlace, ContractPlaces } from "./report/places.ts";
export { notAppliedOf, tallyOf, tallyTexts } from "./report/tally.ts";
export type { ReportScope, Tally } from "./report/tally.ts";
export { textReport } from "./report/text.ts";
