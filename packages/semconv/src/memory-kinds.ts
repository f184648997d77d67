/**
 * @module Memory kinds: which memory units belong to a tenant and which are shared by design
 * (requirements: Scope hierarchy 1, 5). A kind is in exactly one of the two lists.
 */

/** Carries a `user_id`; every read and write names a tenant. */
export const scopedKinds = [
  "conversation",
  "summary",
  "entity",
  "workflow_step",
  "tool_log",
  "semantic_cache",
  "feedback",
  /** Content of imported legacy bundles, read by reveal only (collector: Answer). */
  "trace_content",
] as const;
export type ScopedKind = (typeof scopedKinds)[number];

/** Operator-level or intentionally cross-tenant; carries no tenant. */
export const sharedKinds = [
  "agent_definition",
  "persona",
  "toolbox_entry",
  "tool_server",
  "skill",
  "shared_memory",
  "automation",
  "recommendation",
  "experiment",
  "replay",
] as const;
export type SharedKind = (typeof sharedKinds)[number];

/** Collection, table or folder of each kind; the first five are named by the requirements. */
export const memoryCollections: { readonly [K in ScopedKind | SharedKind]: string } = {
  conversation: "conversation_memory",
  summary: "summaries",
  semantic_cache: "semantic_cache",
  workflow_step: "workflow_memory",
  entity: "entity_memory",
  tool_log: "tool_logs",
  feedback: "feedback",
  trace_content: "trace_content",
  agent_definition: "agents",
  persona: "personas",
  toolbox_entry: "toolbox",
  tool_server: "tool_servers",
  skill: "skills",
  shared_memory: "shared_memory",
  automation: "automations",
  recommendation: "recommendations",
  experiment: "experiments",
  replay: "replays",
};

/** Kinds that are searched by vector, and whose index must filter by `user_id`. */
export const vectorKinds: readonly ScopedKind[] = [
  "conversation",
  "summary",
  "semantic_cache",
  "workflow_step",
  "entity",
];
