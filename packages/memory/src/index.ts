/** @module Scoped agent memory on any provider of `@turnproof/store`. */
export { recordReferenced, recordSupplied } from "./assemble-context.ts";
export type { AssembledContext, MemoryPolicy } from "./assemble-context.ts";
export { Conversation } from "./conversation.ts";
export type { CutTurn, HistoryOptions, Message, MessageDraft } from "./conversation.ts";
export type { KindCount } from "./counts.ts";
export { embedAll, lexicalEmbedder } from "./embedder.ts";
export type { Embedder, LexicalEmbedder } from "./embedder.ts";
export { EntityMemory } from "./entity-memory.ts";
export type { Entity, EntityDraft, EntityRole } from "./entity-memory.ts";
export type { RetrievalMode } from "./find-candidates.ts";
export { FeedbackMemory } from "./feedback-memory.ts";
export type { FeedbackDraft, StoredFeedback } from "./feedback-memory.ts";
export { Learning } from "./learning.ts";
export type { LearningCandidate } from "./learning.ts";
export { Memory } from "./memory.ts";
export { memoryRef } from "./memory-ref.ts";
export type { Fingerprint } from "./memory-ref.ts";
export type { MemoryPlace, MemoryRecorder } from "./place.ts";
export { findReferences } from "./references.ts";
export type { SuppliedFrom } from "./references.ts";
export { requestFingerprint, stableText } from "./request-fingerprint.ts";
export type { CacheRequest, Recalled, RecalledRow } from "./request-fingerprint.ts";
export type { Retrieved, RetrieveOptions } from "./retrieve.ts";
export { select } from "./selection.ts";
export type { Candidate, LedgerLine, SelectionOptions, SelectionReason } from "./selection.ts";
export { SemanticCache } from "./semantic-cache.ts";
export type {
  Admission,
  CacheCandidate,
  CacheLookup,
  CacheOptions,
  CacheReason,
} from "./semantic-cache.ts";
export { SharedCollection, SharedMemory } from "./shared-memory.ts";
export type { SharedData } from "./shared-memory.ts";
export { Summaries } from "./summaries.ts";
export type { Summary } from "./summaries.ts";
export type { SuppliedItem, SupplyRecord } from "./supply-record.ts";
export { ToolLog } from "./tool-log.ts";
export type { LoggedCall } from "./tool-log.ts";
export { cosineOf } from "./vector.ts";
export type { MemoryOptions, ScopeProof } from "./watched-store.ts";
export { WorkflowMemory } from "./workflow-memory.ts";
export type { WorkflowStep } from "./workflow-memory.ts";
