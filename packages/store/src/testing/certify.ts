/**
 * @module Certify: the whole contract of a provider in one call, so that no clause is left out.
 * `contract` runs a part of it, such as for a store that is still being written.
 */
import { capabilityClauses } from "./capability-clauses.ts";
import { contract } from "./contract.ts";
import type { KitClause, KitOptions } from "./contract.ts";
import { evidenceClauses } from "./evidence-clauses.ts";
import { isolationClauses } from "./isolation-clauses.ts";
import { memoryClauses } from "./memory-clauses.ts";
import { memoryIsolationClauses } from "./memory-isolation-clauses.ts";

/** How a store of evidence is opened; with `openMemory` where it declares `memory`. */
export type EvidenceKitOptions = KitOptions & Required<Pick<KitOptions, "open" | "lasting">>;

/** How a memory is opened. */
export type MemoryKitOptions = KitOptions & Required<Pick<KitOptions, "openMemory">>;

/**
 * Registers the whole contract of a store of evidence as tests in Vitest: reads and writes, each
 * capability, isolation of tenants, and with `openMemory` the contract of its memory. Throws
 * `RangeError` on an invalid exemption.
 */
export function certifyEvidence(name: string, options: EvidenceKitOptions): void {
  const memory = options.openMemory === undefined ? [] : wholeMemory;
  const clauses = [...capabilityClauses, ...evidenceClauses, ...isolationClauses, ...memory];
  contract(name, clauses, options);
}

/**
 * Registers the whole contract of a memory as tests in Vitest, its isolation of tenants included.
 * Throws `RangeError` on an invalid exemption.
 */
export function certifyMemory(name: string, options: MemoryKitOptions): void {
  contract(name, wholeMemory, options);
}

const wholeMemory: readonly KitClause[] = [...memoryClauses, ...memoryIsolationClauses];
