/** @module MemoryClauses: the contract of every memory store, one clause each. */
import type { KitClause } from "./contract.ts";
import { memoryAdminClauses } from "./memory-admin-clauses.ts";
import { memoryRowClauses } from "./memory-row-clauses.ts";
import { memorySearchClauses } from "./memory-search-clauses.ts";
import { memorySharedClauses } from "./memory-shared-clauses.ts";
import { memoryTieClauses } from "./tie-clauses.ts";

/** All clauses about rows, searches, shared kinds and administration. */
export const memoryClauses: readonly KitClause[] = [
  ...memoryRowClauses,
  ...memoryTieClauses,
  ...memorySearchClauses,
  ...memorySharedClauses,
  ...memoryAdminClauses,
];
