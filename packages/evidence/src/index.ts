/** @module The judge: pure, synchronous functions over evidence events. */
export { isTurnEvent } from "./event-shape.ts";
export { identityFields } from "./event.ts";
export type {
  EventAttributeMap,
  EventIdentity,
  IdentityField,
  LedgerEntry,
  NormalizationError,
  ResourceRef,
  SourceStore,
  SpanLink,
  TurnEvent,
} from "./event.ts";
export {
  bundleDigestInput,
  bundleVersion,
  childVersion,
  encodeBundle,
  encodeRecord,
} from "./bundle.ts";
export type { TraceBundle, TraceRecord } from "./bundle.ts";
export { canonicalJson } from "./canonical-json.ts";
export { unfinishedStarts } from "./completion.ts";
export { contentOf, stableHash } from "./content-hash.ts";
export {
  coverageProfiles,
  defineCoverageProfiles,
  isVerifiedOutcome,
  readCoverage,
} from "./coverage.ts";
export type { Coverage, CoverageProfiles, ProfileCoverage, Stage } from "./coverage.ts";
export { decodeCursor, encodeCursor, filterHashInput } from "./cursor.ts";
export type { CursorBinding, CursorPayload, CursorStanding } from "./cursor.ts";
export { dedupeEvents } from "./dedupe.ts";
export type { Deduplicated } from "./dedupe.ts";
export { createIdentityTable } from "./identity-table.ts";
export type { IdentityTable, TableField } from "./identity-table.ts";
export { digestInput, digestLines } from "./digest.ts";
export { judgeRules } from "./judge-rules.ts";
export { isReceivedBy, joinPages } from "./join-pages.ts";
export type { JoinedWindow, NormalizationMetadata, PageRead } from "./join-pages.ts";
export { metricNames, readMetrics } from "./metric-states.ts";
export type { MetricName, MetricStates, MetricWindow, ObservedCounts } from "./metric-states.ts";
export { sumErrors } from "./normalization-findings.ts";
export type { NormalizationCode } from "./normalization-findings.ts";
export { normalize, normalizeEvents } from "./normalize.ts";
export type { Normalized, NormalizeOptions } from "./normalize.ts";
export { buildPage, readCompleteness, rootsAmong } from "./page.ts";
export type { EventPage, PageOptions, PageSlice } from "./page.ts";
export { matches, refersTo } from "./query.ts";
export type { EventQuery } from "./query.ts";
export { resolveEvents, resolveRoot } from "./resolve.ts";
export { parentKey, spanKey } from "./span-key.ts";
export { inheritedFields } from "./span-tree.ts";
export type { InheritedField } from "./span-tree.ts";
export { compareTimes, elapsedMs, epochToTime, normalizeTime } from "./time.ts";
export {
  countTools,
  isToolFailure,
  isToolResult,
  toolResults,
  isToolUsable,
  toolBadge,
  toolOutcome,
} from "./tool-outcomes.ts";
export type { ToolCounts } from "./tool-outcomes.ts";
export { summarize } from "./summary.ts";
export type { ObservabilitySummary } from "./summary.ts";
export { readSupply } from "./supply.ts";
export type { Metric, Supply, SupplySource, SupplySourceName } from "./supply.ts";
export { dropLoggedCalls } from "./tool-log.ts";
export { compareEvents } from "./event-order.ts";
export { turnCalls } from "./turn-calls.ts";
export type { TurnCall } from "./turn-calls.ts";
export { compareText } from "./text-order.ts";
export { durationClass, durationClasses } from "./duration-class.ts";
export { bystanders, foldedTurns, foldTurns, turnRowAttributes } from "./turns.ts";
export type { FoldedTurn, TurnRow } from "./turns.ts";
export { trustedErrors } from "./untrusted.ts";
export { turnFields, turnKey } from "./turn-key.ts";
export type { TurnIdentity } from "./turn-key.ts";
export { countUsage, hasUsage } from "./usage.ts";
export type { Usage } from "./usage.ts";
export { groupByIdentity, tupleFields, tupleOf } from "./identity-tuple.ts";
export type { IdentityGroups, IdentityTuple } from "./identity-tuple.ts";
export { buildCausalWaterfall } from "./waterfall.ts";
export type {
  CausalWaterfall,
  Lane,
  WaterfallCounts,
  WaterfallGroup,
  WaterfallNode,
} from "./waterfall.ts";
export { diagnosticCodes, findingTexts, variantTexts } from "./diagnostics-table.ts";
export type { DiagnosticCode, FindingCode, FindingVariant } from "./diagnostics-table.ts";
export type { FindingEffect, FindingText, Priority } from "./finding-text.ts";
export { gapCodes } from "./gap-table.ts";
export type { GapCode } from "./gap-table.ts";
export type { Finding } from "./finding-list.ts";
export { reconcileOutcome } from "./reconcile.ts";
export { judgeSettledTurn } from "./settled-turn.ts";
export type { TurnFindings } from "./settled-turn.ts";
export type { ChainLink, ReconcileOptions, Verdict } from "./reconcile.ts";
export { lossIntervals, overlapsLoss } from "./loss-intervals.ts";
export type { LossInterval } from "./loss-intervals.ts";
export { producerLives } from "./reconcile-open.ts";
export type { ProducerLife, TurnLimits } from "./reconcile-open.ts";
export type { LinkReason, LinkState } from "./reconcile-bench.ts";
export type { WindowMetadata, WindowReason, WindowTrust } from "./reconcile-window.ts";
export { compareTraceWindows, releasesOf } from "./compare.ts";
export type {
  CodeComparison,
  CodePresence,
  CompareOptions,
  CompareTrust,
  TraceComparison,
} from "./compare.ts";
export type { ComparedField, FieldChange } from "./compare-fields.ts";
export type { Delta, OperationComparison, OperationRow, Tolerance } from "./compare-operations.ts";
export type {
  ResultChange,
  ResultComparison,
  SourceComparison,
  StateComparison,
} from "./compare-results.ts";
export { buildTraceHealth, parentlessRoots } from "./health.ts";
export type { Counts, HealthOptions, QueryTiming, TraceHealth } from "./health.ts";
export { insightCodes, insightTexts, insightThresholds } from "./insight-table.ts";
export type { InsightCode } from "./insight-table.ts";
export { findInsights } from "./insights.ts";
export type { Insight, Insights } from "./insights.ts";
export { findLearningCandidates, readCandidates } from "./learning.ts";
export type { CandidateState, RecurringWorkflow } from "./learning.ts";
export { buildLineage } from "./lineage.ts";
export type { Lineage, LineageEdge, LineageNode, LineageQuery } from "./lineage.ts";
export { readLosses } from "./loss-accounting.ts";
export type { KnownNumber, LossAccounting, ProducerLoss } from "./loss-accounting.ts";
export {
  proposeRecommendation,
  reviewRecommendation,
  reviseRecommendation,
} from "./recommendations.ts";
export type {
  Component,
  DraftExperiment,
  Recommendation,
  RecommendationDecision,
  RecommendationOwner,
  RecommendationState,
} from "./recommendations.ts";
export { buildReplayPlan } from "./replay-plan.ts";
export type { ReplayPlan, ReplayStep } from "./replay-plan.ts";
export type {
  BatchReadback,
  EvidenceBatch,
  EvidenceWriter,
  PreparedBatch,
} from "./evidence-writer.ts";
