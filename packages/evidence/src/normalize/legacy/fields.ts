/**
 * @module LegacyFields: the names that older writers used for today's attributes, by kind
 * (vocabulary: Event kinds; requirements: Versioning). The table is an allowlist: a field outside
 * of it, such as a prompt, arguments or a result, is never read.
 */
import type { AttributeName, EventKind } from "@turnproof/semconv";

import {
  readArtifactStatus,
  readCacheDecision,
  readParserStatus,
  readToolOutcome,
} from "./words.ts";

/** Converts a legacy value to the current form; undefined when it is not usable. */
export type LegacyReading = (value: unknown) => unknown;

/** Older names of one attribute, best first, and how the value is read. */
export interface LegacyField {
  readonly names: readonly string[];
  readonly read?: LegacyReading;
}

export type LegacyFields = { readonly [name in AttributeName]?: LegacyField };

const asList: LegacyReading = (value) => (typeof value === "string" ? [value] : value);
/** Older writers listed what current ones count; only the length is read. */
const asCount: LegacyReading = (value) => (Array.isArray(value) ? value.length : value);
const count = (...names: string[]): LegacyField => ({ names, read: asCount });
const field = (...names: string[]): LegacyField => ({ names });

const commonFields: LegacyFields = {
  agent_name: field("agent_name"),
  coverage_profile: field("coverage_profile"),
  error_code: field("error_code"),
  error_type: field("error_type"),
  ownership_verified: field("ownership_verified"),
  retry_count: field("retry_count", "retries"),
  context_missing: field("context_missing"),
};

const requestField: LegacyFields = { request_id: field("request_id", "provider_request_id") };

/** Usage was in an object of its own or beside the other fields; both are read. */
const modelFields: LegacyFields = {
  ...requestField,
  model: field("model", "model_name", "model_id"),
  response_model: field("response_model"),
  provider: field("provider", "model_provider", "provider_name"),
  input_tokens: field("input_tokens", "prompt_tokens"),
  output_tokens: field("output_tokens", "completion_tokens"),
  total_tokens: field("total_tokens"),
  cached_tokens: field("cached_tokens", "cache_read_input_tokens", "cached_input_tokens"),
  cache_write_tokens: field("cache_write_tokens", "cache_creation_input_tokens"),
  reasoning_tokens: field("reasoning_tokens", "reasoning_output_tokens"),
  max_output_tokens: field("max_output_tokens", "max_tokens", "output_limit"),
  finish_reason: {
    names: ["finish_reason", "finish_reasons", "stop_reason"],
    read: asList,
  },
  response_chars: field("response_chars", "response_length", "output_chars"),
  response_bytes: field("response_bytes"),
  ttft_ms: field("ttft_ms", "time_to_first_token_ms"),
  provider_time_ms: field("provider_time_ms", "provider_latency_ms"),
  stream_duration_ms: field("stream_duration_ms"),
  iteration: field("iteration", "step"),
};

const toolFields: LegacyFields = {
  ...requestField,
  tool_name: field("tool_name", "tool", "name"),
  tool_type: field("tool_type"),
  tool_call_id: field("tool_call_id", "call_id"),
  tool_outcome: {
    names: ["tool_outcome", "outcome", "result_status", "tool_status", "status"],
    read: readToolOutcome,
  },
  tool_provider: field("tool_provider", "provider"),
  primary_provider: field("primary_provider"),
  fallback_provider: field("fallback_provider"),
  result_count: field("result_count", "results_count", "num_results"),
  fallback_used: field("fallback_used", "used_fallback", "fallback"),
  degraded: field("degraded", "is_degraded"),
};

const memoryFields: LegacyFields = {
  retrieved_count: count("retrieved_count", "candidate_count", "candidates", "retrieved"),
  supplied_count: count("supplied_count", "injected_count", "supplied"),
  referenced_count: count("referenced_count", "reference_count", "referenced"),
  history_count: count("history_count", "history", "history_messages"),
  profile_count: count("profile_count", "profile", "profile_attributes"),
  preference_count: count("preference_count", "preferences", "preference"),
  cross_thread_count: count("cross_thread_count", "cross_thread", "cross_thread_excerpts"),
  summary_count: count("summary_count", "summaries", "summary"),
  writing_sample_count: count("writing_sample_count", "writing_samples"),
  profile_attribute_names: field("profile_attribute_names"),
  preference_names: field("preference_names"),
  retrieved_scores: field("retrieved_scores", "scores"),
  memory_degraded: field("memory_degraded", "degraded"),
  memory_fallback_used: field("memory_fallback_used", "fallback_used"),
  memory_operation: field("memory_operation"),
  record_count: count("record_count"),
  scope_applied: field("scope_applied"),
};

const contextFields: LegacyFields = {
  provenance_request_id: field("provenance_request_id", "request_id"),
  client_page_type: field("client_page_type"),
  client_page_id: field("client_page_id"),
  canonical_page_type: field("canonical_page_type"),
  canonical_page_id: field("canonical_page_id"),
  thread_binding_status: field("thread_binding_status"),
  expected_thread_id: field("expected_thread_id"),
  grounding_status: field("grounding_status"),
  grounding_source: field("grounding_source"),
  grounding_excerpt_count: field("grounding_excerpt_count"),
  content_fingerprint: field("content_fingerprint"),
  dropped_field_count: field("dropped_field_count"),
  request_context_fingerprint: field("request_context_fingerprint"),
};

const actionFields: LegacyFields = {
  side_effect: field("side_effect"),
  fallback_reason: field("fallback_reason"),
  credit_decision: field("credit_decision"),
  job_ref: field("job_ref", "job_id"),
  queue_status: field("queue_status"),
};

const judgedFields: LegacyFields = {
  rating: field("rating"),
  label: field("label"),
  comment_hash: field("comment_hash"),
  verified: field("verified"),
  outcome: field("outcome", "result"),
  source: field("source"),
  score: field("score"),
  evaluation_name: field("evaluation_name"),
};

const byKind: { readonly [kind in EventKind]?: LegacyFields } = {
  turn: modelFields,
  model_call: modelFields,
  plan: { iteration: field("iteration", "step") },
  tool_call: toolFields,
  execution_log: toolFields,
  memory_operation: memoryFields,
  memory_retrieval: memoryFields,
  memory_selection: memoryFields,
  memory_supply: memoryFields,
  memory_reference: memoryFields,
  context_binding: contextFields,
  application_action: actionFields,
  queue_transition: actionFields,
  cache_decision: {
    cache_decision: {
      names: ["cache_decision", "decision", "cache_status", "status", "hit"],
      read: readCacheDecision,
    },
    cache_bypass_reason: field("cache_bypass_reason", "bypass_reason", "reason"),
    cache_fingerprint: field("cache_fingerprint", "fingerprint"),
    cache_similarity: field("cache_similarity", "similarity"),
  },
  intent: {
    expected_artifact_types: {
      names: ["expected_artifact_types", "expected_artifacts", "artifact_types"],
      read: asList,
    },
    required_contracts: { names: ["required_contracts"], read: asList },
  },
  artifact: {
    artifact_type: field("artifact_type"),
    artifact_status: {
      names: ["artifact_status", "state", "operation", "action"],
      read: readArtifactStatus,
    },
    persistence_verified: field("persistence_verified", "persisted"),
    source_independent: field("source_independent"),
    producing_span_id: field("producing_span_id", "producer_span_id"),
    content_version: field("content_version"),
  },
  contract: {
    contract_name: field("contract_name", "contract", "name"),
    required: field("required"),
    output_limit: field("output_limit"),
    opening_marker_found: field("opening_marker_found", "opening_marker", "open_marker_found"),
    closing_marker_found: field("closing_marker_found", "closing_marker", "close_marker_found"),
    parser_status: {
      names: ["parser_status", "parse_status", "status"],
      read: readParserStatus,
    },
    recovery_used: field("recovery_used", "recovered"),
    contract_finish_reason: field("contract_finish_reason", "finish_reason", "stop_reason"),
    output_chars: field("output_chars", "output_length"),
  },
  delivery: {
    delivery_target: field("delivery_target", "target", "name"),
    emitted: field("emitted"),
    acknowledged: field("acknowledged", "ack"),
    contract_name: field("contract_name", "contract"),
  },
  feedback: judgedFields,
  outcome: judgedFields,
  learning: {
    learning_event: field("learning_event", "event"),
    candidate_ref: field("candidate_ref", "candidate_id"),
    lifecycle_state: field("lifecycle_state", "state"),
  },
};

const tables = new Map<EventKind, readonly (readonly [AttributeName, LegacyField])[]>();

/** The attributes of a legacy event of this kind, and where to look for each. */
export function legacyFieldsOf(
  kind: EventKind,
): readonly (readonly [AttributeName, LegacyField])[] {
  let table = tables.get(kind);
  if (table === undefined) {
    const fields = { ...commonFields, ...byKind[kind] };
    table = Object.entries(fields) as unknown as readonly (readonly [AttributeName, LegacyField])[];
    tables.set(kind, table);
  }
  return table;
}
