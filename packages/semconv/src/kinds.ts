/**
 * @module Kinds: the closed list of event kinds, the span names that carry them, and the names that
 * older records used (vocabulary: Event kinds).
 */
export const eventKinds = [
  "turn",
  "model_call",
  "tool_call",
  "plan",
  "memory_operation",
  "memory_retrieval",
  "memory_selection",
  "memory_supply",
  "memory_reference",
  "cache_decision",
  "context_binding",
  "application_action",
  "queue_transition",
  "intent",
  "artifact",
  "contract",
  "delivery",
  "feedback",
  "outcome",
  "learning",
  "conversation",
  "execution_log",
  "span",
  "data_quality",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** A legacy name: its current kind, and the phase and status that it implied, if any. */
export interface LegacyKind {
  readonly kind: EventKind;
  readonly phase?: "start" | "result" | "event";
}

/**
 * Names of v1/v2 and v3 children that older writers used, accepted on read and by the `event_kind`
 * filter. A name that did not change is not listed.
 */
export const legacyKinds: { readonly [name: string]: LegacyKind } = {
  turn_start: { kind: "turn", phase: "start" },
  turn_result: { kind: "turn", phase: "result" },
  context_provenance: { kind: "context_binding", phase: "event" },
  memory_context: { kind: "memory_supply", phase: "event" },
  model_result: { kind: "model_call", phase: "result" },
  tool_result: { kind: "tool_call", phase: "result" },
  reasoning: { kind: "plan", phase: "event" },
  intent_plan: { kind: "intent", phase: "event" },
  artifact_persisted: { kind: "artifact", phase: "event" },
  artifact_validated: { kind: "artifact", phase: "event" },
  output_contract: { kind: "contract", phase: "event" },
  ui_delivery: { kind: "delivery", phase: "event" },
  verified_outcome: { kind: "outcome", phase: "event" },
  trace_data_quality: { kind: "data_quality", phase: "event" },
};

/** The kind of a current or a legacy name, or undefined. */
export function kindOf(name: string): EventKind | undefined {
  if ((eventKinds as readonly string[]).includes(name)) return name as EventKind;
  return Object.hasOwn(legacyKinds, name) ? legacyKinds[name]?.kind : undefined;
}

/** Prefix of all our span names and attributes. */
export const ownPrefix = "turnproof.";

/** Names of our own spans; `{x}` is filled by {@link ownSpanName}. */
export const ownSpanNames = {
  memory_retrieval: "turnproof.memory.retrieve",
  memory_selection: "turnproof.memory.select",
  memory_supply: "turnproof.memory.supply",
  memory_reference: "turnproof.memory.reference",
  cache_decision: "turnproof.cache.decide",
  context_binding: "turnproof.context.bind",
  intent: "turnproof.intent.plan",
  artifact: "turnproof.artifact",
  contract: "turnproof.contract",
  delivery: "turnproof.delivery",
  feedback: "turnproof.feedback",
  outcome: "turnproof.outcome",
  learning: "turnproof.learning",
  data_quality: "turnproof.data_quality",
} as const;

/** GenAI operation names (`gen_ai.operation.name`) and the kind each one is. */
export const genAiOperations: { readonly [operation: string]: EventKind } = {
  chat: "model_call",
  generate_content: "model_call",
  text_completion: "model_call",
  embeddings: "model_call",
  fetch_response: "model_call",
  invoke_agent: "turn",
  invoke_workflow: "turn",
  handle_conversation_turn: "turn",
  execute_tool: "tool_call",
  plan: "plan",
  retrieval: "memory_retrieval",
  search_memory: "memory_operation",
  create_memory: "memory_operation",
  update_memory: "memory_operation",
  upsert_memory: "memory_operation",
  delete_memory: "memory_operation",
  create_memory_store: "memory_operation",
  delete_memory_store: "memory_operation",
};

/** Form of a host operation's name. */
export const operationPattern: RegExp = /^[a-z][a-z0-9_.-]{0,63}$/;

/** Kinds whose start is exported as a separate pending marker, so that a crash is visible. */
export const markedKinds: readonly EventKind[] = [
  "turn",
  "model_call",
  "tool_call",
  "application_action",
];
