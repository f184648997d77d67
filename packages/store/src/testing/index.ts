/**
 * @module Testing: the contract kit. `certifyEvidence(name, { open, lasting })` certifies a
 * provider in Vitest, `contract` runs a part of the clauses.
 */
export { capabilityClauses } from "./capability-clauses.ts";
export { certifyEvidence, certifyMemory } from "./certify.ts";
export type { EvidenceKitOptions, MemoryKitOptions } from "./certify.ts";
export { contract } from "./contract.ts";
export type { KitClause, KitOptions, Effort, Harness } from "./contract.ts";
export { evidenceClauses } from "./evidence-clauses.ts";
export { hostileIds, hostileNames } from "./hostile.ts";
export { isolationClauses } from "./isolation-clauses.ts";
export { memoryClauses } from "./memory-clauses.ts";
export { memoryIsolationClauses } from "./memory-isolation-clauses.ts";
export { sampleNote } from "./operator-clauses.ts";
export { sampleRecord } from "./sample-record.ts";
export { allTenants, receivedAt, sampleEvent, sampleTurn } from "./sample-event.ts";
export { eventsOf, walkPages } from "./walk-pages.ts";
