/** @module Identity rows: tenant, agent, turn, and an event's own fields (design 3.1, 3.7). */

/** Tenant, agent, thread and turn. */
export const identityRows = {
  application_id: [
    "service.name",
    "string",
    "identity",
    "subject",
    "all",
    "OpenTelemetry resource",
  ],
  agent_id: ["turnproof.agent.id", "string", "identity", "subject", "all", "design 3.3"],
  user_id: ["turnproof.user.id", "string", "identity", "tenant", "all", "design 3.3"],
  scope: ["turnproof.scope", "string", "state", "closed", "all", "design 3.3"],
  memory_id: ["turnproof.memory.id", "string", "identity", "id", "all", "design 3.3"],
  thread_id: ["gen_ai.conversation.id", "string", "identity", "id", "all", "GenAI"],
  run_id: ["turnproof.run.id", "string", "identity", "id", "all", "design 3.3"],
  turn_id: ["turnproof.turn.id", "string", "identity", "id", "all", "design 3.3"],
  task_id: ["turnproof.task.id", "string", "identity", "id", "all", "design 3.3"],
  event_id: ["turnproof.event.id", "string", "identity", "id", "all", "design 3.3"],
  external_id: ["turnproof.external_id", "string", "identity", "id", "all", "design 3.6"],
  caused_by_event_id: ["turnproof.caused_by", "string", "identity", "id", "all", "design 3.3"],
} as const;

/** Fields about the event itself and its producer. */
export const ownRows = {
  event_kind: ["turnproof.event.kind", "string", "state", "closed", "all", "design 3.2"],
  phase: ["turnproof.event.phase", "string", "state", "closed", "all", "design 3.2"],
  status: ["turnproof.event.status", "string", "state", "closed", "all", "design 3.2"],
  timestamp: ["turnproof.event.time", "string", "time", "time", "all", "design 3.7"],
  component: ["turnproof.component", "string", "label", "label", "all", "design 3.7"],
} as const;

/** Which release wrote the event: a fact among its attributes, so that releases can be compared. */
export const releaseRows = {
  service_version: [
    "service.version",
    "string",
    "label",
    "version",
    "all",
    "OpenTelemetry resource",
  ],
} as const;

/** Which process of the service wrote the event. */
export const processRows = {
  service_namespace: [
    "service.namespace",
    "string",
    "label",
    "label",
    "all",
    "OpenTelemetry resource",
  ],
  producer_id: ["turnproof.producer.id", "string", "identity", "id", "all", "design 6.4"],
  producer_seq: ["turnproof.producer.seq", "int", "count", "none", "all", "design 6.4"],
} as const;

/** Resource references travel as parallel lists, at most 32 entries (design 3.3). */
export const refRows = {
  input_types: ["turnproof.input.types", "string[]", "label", "label", "refs", "design 3.3"],
  input_refs: ["turnproof.input.refs", "string[]", "reference", "id", "refs", "design 3.3"],
  input_versions: [
    "turnproof.input.versions",
    "string[]",
    "reference",
    "version",
    "refs",
    "design 3.3",
  ],
  input_roles: ["turnproof.input.roles", "string[]", "label", "label", "refs", "design 3.3"],
  input_ownership: [
    "turnproof.input.ownership",
    "string[]",
    "state",
    "closed",
    "refs",
    "design 3.3",
  ],
  input_provenance: [
    "turnproof.input.provenance",
    "string[]",
    "state",
    "closed",
    "refs",
    "design 3.3",
  ],
  output_types: ["turnproof.output.types", "string[]", "label", "label", "refs", "design 3.3"],
  output_refs: ["turnproof.output.refs", "string[]", "reference", "id", "refs", "design 3.3"],
  output_versions: [
    "turnproof.output.versions",
    "string[]",
    "reference",
    "version",
    "refs",
    "design 3.3",
  ],
  output_roles: ["turnproof.output.roles", "string[]", "label", "label", "refs", "design 3.3"],
  output_ownership: [
    "turnproof.output.ownership",
    "string[]",
    "state",
    "closed",
    "refs",
    "design 3.3",
  ],
  output_provenance: [
    "turnproof.output.provenance",
    "string[]",
    "state",
    "closed",
    "refs",
    "design 3.3",
  ],
} as const;

/** The selection ledger: why each candidate was selected or left out (design 3.7). */
export const ledgerRows = {
  ledger_types: [
    "turnproof.selection.types",
    "string[]",
    "label",
    "label",
    "selection",
    "design 3.7",
  ],
  ledger_refs: [
    "turnproof.selection.refs",
    "string[]",
    "reference",
    "id",
    "selection",
    "design 3.7",
  ],
  ledger_ranks: [
    "turnproof.selection.ranks",
    "int[]",
    "measure",
    "none",
    "selection",
    "design 3.7",
  ],
  ledger_scores: [
    "turnproof.selection.scores",
    "double[]",
    "measure",
    "none",
    "selection",
    "design 3.7",
  ],
  ledger_selected: [
    "turnproof.selection.selected",
    "boolean[]",
    "flag",
    "none",
    "selection",
    "design 3.7",
  ],
  ledger_reasons: [
    "turnproof.selection.reasons",
    "string[]",
    "label",
    "label",
    "selection",
    "design 3.7",
  ],
} as const;
