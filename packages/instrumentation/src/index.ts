/** @module Instrumentation: records what an agent turn did, without its content. */
export { readCarrier } from "./carrier.ts";
export type { Carrier, CarrierContent } from "./carrier.ts";
export { otelSink } from "./evidence-sink.ts";
export type {
  EvidenceAttributes,
  EvidenceDraft,
  EvidenceResult,
  EvidenceSink,
  OpenEvidence,
} from "./evidence-sink.ts";
export type { Feedback, LearningStep, TaskOutcome } from "./feedback.ts";
export { MemoryOperation } from "./memory-supply.ts";
export type {
  MemoryOperationOptions,
  ReferencedMemory,
  RetrievedMemory,
  SuppliedMemory,
} from "./memory-supply.ts";
export { ModelCall } from "./model-call.ts";
export type { ModelCallOptions, ModelResponse, ModelUsage } from "./model-call.ts";
export type { OpenStep } from "./open-step.ts";
export { provenanceFacts } from "./provenance.ts";
export type { ObservabilityContext } from "./provenance.ts";
export { RecorderSpan } from "./recorder-span.ts";
export type { SpanResult } from "./recorder-span.ts";
export { ObservabilityRecorder } from "./recorder.ts";
export type {
  ArtifactOptions,
  Contract,
  ContractOptions,
  ContractRecord,
  DeliveryOptions,
  IntentOptions,
  SpanOptions,
} from "./recorder.ts";
export type { ResourceRef, Selection } from "./resource-ref.ts";
export { ToolCall } from "./tool-call.ts";
export type { ToolCallOptions, ToolResult } from "./tool-call.ts";
export { TraceContext } from "./trace-context.ts";
export type { ExpectedScope } from "./trace-context.ts";
export { checkedIdentity } from "./turn-identity.ts";
export type { TurnIdentity } from "./turn-identity.ts";
export { propagateTurn, receivedTurn, turnFetch, TurnPropagator } from "./turn-propagator.ts";
export type { PropagatingFetchOptions } from "./turn-propagator.ts";
export { Turn, withTurn } from "./turn.ts";
export type { CacheDecided } from "./cache-decided.ts";
export type { TurnOptions } from "./turn-options.ts";
export type { RecorderHealth, RecorderOptions } from "./guarded-recorder.ts";
export { forWorker } from "./worker.ts";
export type { WorkerOptions } from "./worker.ts";
