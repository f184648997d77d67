/** @module The judge: pure, synchronous functions over evidence events. */
export { isTurnEvent } from "./event/event-shape.ts";
export type {
  EventAttributeMap,
  EventIdentity,
  LedgerEntry,
  NormalizationError,
  EventResource,
  SourceStore,
  SpanLink,
  TurnEvent,
} from "./event/event.ts";
export {
  bundleDigestInput,
  bundleVersion,
  childVersion,
  encodeBundle,
  encodeRecord,
} from "./normalize/bundle.ts";
export type { TraceBundle, TraceRecord } from "./normalize/bundle.ts";
export { canonicalJson } from "./event/canonical-json.ts";
export { unfinishedStarts } from "./turns/completion.ts";
export { contentOf, stableHash } from "./normalize/content-hash.ts";
export {
  coverageProfiles,
  defineCoverageProfiles,
  isVerifiedOutcome,
  readCoverage,
  stageKind,
} from "./coverage/coverage.ts";
export { isFailedOutcome, missingStages } from "./coverage/coverage.ts";
export type { Coverage, CoverageProfiles, ProfileCoverage, Stage } from "./coverage/coverage.ts";
export { decodeCursor, encodeCursor, filterHashInput } from "./event/cursor.ts";
export type { CursorBinding, CursorPayload, CursorUnit } from "./event/cursor.ts";
export { dedupeEvents } from "./normalize/dedupe.ts";
export type { Deduplicated } from "./normalize/dedupe.ts";
export { createIdentityTable } from "./event/identity-table.ts";
export type { IdentityTable, TableField } from "./event/identity-table.ts";
export { digestInput, digestLines } from "./event/digest.ts";
export { judgeRules } from "./reconcile/judge-rules.ts";
export { isReceivedBy, joinPages } from "./coverage/join-pages.ts";
export type { JoinedWindow, NormalizationMetadata, PageRead } from "./coverage/join-pages.ts";
export { metricNames, readMetrics } from "./coverage/metric-states.ts";
export type {
  MetricName,
  MetricStates,
  MetricWindow,
  ObservedCounts,
} from "./coverage/metric-states.ts";
export { sumErrors } from "./normalize/normalization-findings.ts";
export type { NormalizationCode } from "./normalize/normalization-findings.ts";
export { normalize, normalizeEvents } from "./normalize/normalize.ts";
export type { Normalized, NormalizeOptions } from "./normalize/normalize.ts";
export { buildPage, readCompleteness, rootsAmong } from "./coverage/page.ts";
export type { EventPage, PageOptions, PageSlice } from "./coverage/page.ts";
export { matches, refersTo } from "./event/query.ts";
export type { EventQuery } from "./event/query.ts";
export { resolveEvents, resolveRoot } from "./normalize/resolve.ts";
export { parentKey, spanKey } from "./event/span-key.ts";
export { inheritedFields } from "./normalize/span-tree.ts";
export type { InheritedField } from "./normalize/span-tree.ts";
export {
  countTools,
  isToolFailure,
  isToolResult,
  toolResults,
  isToolUsable,
  toolBadge,
  toolOutcome,
} from "./turns/tool-outcomes.ts";
export type { ToolCounts } from "./turns/tool-outcomes.ts";
export { summarize } from "./insights/summary.ts";
export type { ObservabilitySummary } from "./insights/summary.ts";
export { readSupply } from "./turns/supply.ts";
export type { Metric, Supply, SupplySource, SupplySourceName } from "./turns/supply.ts";
export { dropLoggedCalls } from "./normalize/tool-log.ts";
export { compareEvents } from "./event/event-order.ts";
export { agentCalls } from "./turns/agent-calls.ts";
export { turnCalls } from "./turns/turn-calls.ts";
export type { TurnCall } from "./turns/turn-calls.ts";
export { compareText } from "./event/text-order.ts";
export { durationClass, durationClasses } from "./event/duration-class.ts";
export { settledTurnWindow, turnWindows } from "./turn-windows.ts";
export type { TurnWindow, TurnWindows } from "./turn-windows.ts";
export { kindsOutsideTurns, turnRowAttributes } from "./turns/turn-row.ts";
export { foldedTurns, foldTurns } from "./turns/turns.ts";
export { certainResult, turnResult } from "./turns/turn-result.ts";
export type { FoldedTurn } from "./turns/turns.ts";
export type { TurnRow } from "./turns/turn-row.ts";
export { orphanSpans } from "./turns/orphan-spans.ts";
export { trustedErrors } from "./normalize/untrusted.ts";
export { turnFields, turnKey } from "./event/turn-key.ts";
export type { TurnKeyFields } from "./event/turn-key.ts";
export { clockStepMs, mayBeBeside, repeatedCalls } from "./normalize/repeated-calls.ts";
export {
  countedModelCalls,
  countUsage,
  hasTotal,
  hasUsage,
  modelCallGroups,
} from "./normalize/usage.ts";
export type { ModelCallGroup, Usage } from "./normalize/usage.ts";
export { groupByIdentity, tupleFields, tupleOf } from "./event/identity-tuple.ts";
export type { IdentityGroups, IdentityTuple } from "./event/identity-tuple.ts";
export { buildCausalWaterfall } from "./waterfall/waterfall.ts";
export type {
  CausalWaterfall,
  Lane,
  WaterfallCounts,
  WaterfallGroup,
  WaterfallNode,
} from "./waterfall/causal-waterfall.ts";
export { diagnosticCodes, findingTexts, variantTexts } from "./reconcile/diagnostics-table.ts";
export type { DiagnosticCode, FindingCode, FindingVariant } from "./reconcile/diagnostics-table.ts";
export type { FindingEffect, FindingText, Priority } from "./reconcile/finding-text.ts";
export { gapCodes } from "./reconcile/gap-table.ts";
export type { GapCode } from "./reconcile/gap-table.ts";
export type { Finding } from "./reconcile/finding-list.ts";
export { bridgedSkewMs } from "./reconcile/reconcile-causes.ts";
export { artifactStates, isDeleted, isFailed } from "./reconcile/reconcile-states.ts";
export type { ArtifactState } from "./reconcile/reconcile-states.ts";
export { statesOf } from "./reconcile/reconcile-order.ts";
export type { States } from "./reconcile/reconcile-order.ts";
export { reconcileOutcome } from "./reconcile/reconcile.ts";
export { judgeSettledTurn, reconcileSettled, viewSettled } from "./settled-turn.ts";
export type { TurnFindings } from "./settled-turn.ts";
export type { ReconcileOptions, Verdict } from "./reconcile/reconcile.ts";
export type { ChainLink } from "./reconcile/reconcile-tuples.ts";
export { lossIntervals, overlapsLoss } from "./coverage/loss-intervals.ts";
export type { LossInterval } from "./coverage/loss-intervals.ts";
export { producerLives } from "./reconcile/reconcile-open.ts";
export type { ProducerLife, TurnLimits } from "./reconcile/window-clock.ts";
export type { LinkReason, LinkState } from "./reconcile/reconcile-bench.ts";
export { windowWords } from "./reconcile/reconcile-explanation.ts";
export {
  lostReasons,
  reasonsOf,
  verdictReasons,
  verdictReasonWords,
} from "./reconcile/verdict-reasons.ts";
export type { VerdictReason } from "./reconcile/verdict-reasons.ts";
export { isContested } from "./reconcile/reconcile-window.ts";
export type { WindowMetadata, WindowReason, WindowTrust } from "./reconcile/reconcile-window.ts";
export { compareTraceWindows, releasesOf } from "./compare/compare.ts";
export type {
  CodeComparison,
  CodePresence,
  CompareOptions,
  CompareTrust,
  TraceComparison,
} from "./compare/compare.ts";
export type { ComparedField, FieldChange } from "./compare/compare-fields.ts";
export type {
  Delta,
  OperationComparison,
  OperationRow,
  Tolerance,
} from "./compare/compare-operations.ts";
export type {
  ResultChange,
  ResultComparison,
  SourceComparison,
  StateComparison,
} from "./compare/compare-results.ts";
export { buildTraceHealth, parentlessRoots } from "./insights/health.ts";
export type { Counts, HealthOptions, QueryTiming, TraceHealth } from "./insights/health.ts";
export { insightCodes, insightTexts, insightThresholds } from "./insights/insight-table.ts";
export type { InsightCode } from "./insights/insight-table.ts";
export { findInsights } from "./insights/insights.ts";
export type { Insight, Insights } from "./insights/insights.ts";
export { findLearningCandidates, readCandidates } from "./insights/learning.ts";
export type { CandidateState, RecurringWorkflow } from "./insights/learning.ts";
export { buildLineage } from "./insights/lineage.ts";
export type { Lineage, LineageEdge, LineageNode, LineageQuery } from "./insights/lineage.ts";
export { readLosses } from "./reconcile/loss-accounting.ts";
export type { KnownNumber, LossAccounting, ProducerLoss } from "./reconcile/loss-accounting.ts";
export {
  proposeRecommendation,
  reviewRecommendation,
  reviseRecommendation,
} from "./insights/recommendations.ts";
export type {
  Component,
  DraftExperiment,
  Recommendation,
  RecommendationDecision,
  RecommendationOwner,
  RecommendationState,
} from "./insights/recommendations.ts";
export { buildReplayPlan } from "./insights/replay-plan.ts";
export type { ReplayPlan, ReplayStep } from "./insights/replay-plan.ts";
export type {
  BatchReadback,
  EvidenceBatch,
  EvidenceWriter,
  PreparedBatch,
} from "./coverage/evidence-writer.ts";
