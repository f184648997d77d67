/** @module The vocabulary of agent-turn evidence. */
export { carrierMembers } from "./carrier-members.ts";
export { CodedError, codeOf } from "./coded-error.ts";
export { nearestRank } from "./nearest-rank.ts";
export { metricAt, splitMetrics } from "./outcome-metrics.ts";
export type { MetricLists, MetricValue } from "./outcome-metrics.ts";
export { codes } from "./codes.ts";
export type { Code, CodeRow } from "./codes.ts";
export {
  dialectOfScope,
  dialectTable,
  dialectTables,
  forwardedOrigins,
  forwardedScope,
  knownScopeNames,
  namedSpanMarks,
  nameSources,
  sourceAttributeNames,
} from "./dialects.ts";
export type { ForwardedOrigin } from "./dialects.ts";
export { usageDetailNames } from "./dialects/langfuse.ts";
export {
  entryIntegrations,
  graphNodeKey,
  metadataAttribute,
  metadataNames,
} from "./dialects/openinference.ts";
export { structuralFamilies } from "./dialects/structural.ts";
export { valueAdapters } from "./dialects/table.ts";
export type {
  DialectIdentity,
  DialectName,
  DialectTable,
  IdentityName,
  KindRule,
  SpanNameRule,
  ValueAdapter,
} from "./dialects/table.ts";
export { isKeyedName, screenIdentity } from "./guard/screen-identity.ts";
export { screen, screenOperation } from "./guard.ts";
export { screenProse } from "./guard/prose.ts";
export { screenEntry, screenValue } from "./guard/screen-value.ts";
export type { IdentityKey, ScreenedIdentity } from "./guard/screen-identity.ts";
export type { Screened, ScreenOptions } from "./guard.ts";
export {
  eventKinds,
  genAiOperations,
  kindOf,
  legacyKinds,
  markedKinds,
  operationPattern,
  ownPrefix,
  ownSpanNames,
} from "./kinds.ts";
export type { EventKind, LegacyKind } from "./kinds.ts";
export { keyCalls, keyedCalls } from "./keyed-calls.ts";
export type { CallFingerprint } from "./keyed-calls.ts";
export { keyIdentities, knownIdentity, opaqueIdentity } from "./keyed-identity.ts";
export { allowNames, parseNames } from "./known-names.ts";
export type { IdentityKeying } from "./keyed-identity.ts";
export { groupBy } from "./group-by.ts";
export { limits } from "./limits.ts";
export { otlpNames } from "./otlp-names.ts";
export { attribute, attributeBySpanName, mayCarry, registryRows } from "./registry.ts";
export type { AttributeName, RegistryName } from "./registry.ts";
export type { EventAttributes } from "./registry/event-attributes.ts";
export type {
  AttributeRow,
  AttributeType,
  AttributeValue,
  Holds,
  Keyed,
  Shape,
  Slot,
  Stability,
} from "./registry/row.ts";
export { ledgerFromLists, ledgerToAttributes, refsFromLists, refsToAttributes } from "./refs.ts";
export type { LedgerLike, LedgerLists, RefDirection, RefLike, RefLists } from "./refs.ts";
export { identityFields, tenantState } from "./identity.ts";
export type {
  Identity,
  IdentityField,
  IdentityOption,
  IdentityOptions,
  OptionalIdentity,
  MemoryScope,
  NullableIdentity,
  TenantFilter,
  TenantState,
  UserId,
} from "./identity.ts";
export {
  artifactStatuses,
  bindingBad,
  bindingGood,
  bindingUnscoped,
  cacheDecisions,
  coverageProfiles,
  dialects,
  eventPhases,
  eventStatuses,
  failedOutcomes,
  groundingGood,
  instrumentationCompletenesses,
  learningEvents,
  metricStates,
  outcomeVerifications,
  outcomeWord,
  ownershipValues,
  parserStatuses,
  partialOutcomes,
  producerReports,
  provenanceStatuses,
  readCompletenesses,
  supportingRoles,
  timingStates,
  toolBadges,
  toolOutcomes,
  verdictStatuses,
  waitingForHuman,
} from "./states.ts";
export type {
  ArtifactStatus,
  CacheDecision,
  CoverageProfile,
  Dialect,
  EventPhase,
  EventStatus,
  InstrumentationCompleteness,
  MetricState,
  OutcomeVerification,
  ParserStatus,
  ProvenanceStatus,
  ReadCompleteness,
  TimingState,
  ToolOutcome,
  VerdictStatus,
} from "./states.ts";
export { memoryCollections, scopedKinds, sharedKinds, vectorKinds } from "./memory-kinds.ts";
export type { ScopedKind, SharedKind } from "./memory-kinds.ts";
export { utf8Bytes } from "./utf8.ts";
export { randomId } from "./random-id.ts";
export { codingEvents, codingNames, codingScope } from "./dialects/coding-agents.ts";
export type { CodingEvent, CodingFact } from "./dialects/coding-agents.ts";
export { increasingClock, isoMicros, isoNow, isoTime } from "./time/clock.ts";
export type { Clock } from "./time/clock.ts";
export { addMs, elapsedMs, shiftTime, wholeMsAfter } from "./time/elapsed.ts";
export { instantMs, roundMs } from "./time/milliseconds.ts";
export { instantOf, millisecondsBetween, nineDigits } from "./time/nanoseconds.ts";
export type { NanoInstant } from "./time/nanoseconds.ts";
export { compareTimes, epochToTime, isNormalTime, later, normalizeTime } from "./time/text.ts";
export {
  clampedInstant,
  epochMicros,
  fractionDigits,
  instantOfNanos,
  isExact,
  isoOfInstant,
  isoOfMicros,
  nanosOfInstant,
  wholeSecond,
} from "./time/whole-numbers.ts";
export type { Instant } from "./time/whole-numbers.ts";
export { isRecord } from "./untyped.ts";
export type { Untyped, UntypedRecord } from "./untyped.ts";
