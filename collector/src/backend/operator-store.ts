/**
 * @module Operator's store: the store for routes. In read-only mode it refuses every mutation, for
 * every caller; ingest has a handle of its own (requirements: Authentication 3; storage:
 * Providers).
 */
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

import { boundStore } from "./bound-store.ts";

/** The store as routes may use it. */
export function operatorStore(store: EvidenceStore, readOnly: boolean): EvidenceStore {
  if (!readOnly) return store;
  const refuse = async (): Promise<never> => {
    throw new CodedError("store_read_only");
  };
  const ledger = { ...store.ledger, putTurns: refuse, dropTurns: refuse };
  const operatorRows = { ...store.operatorRows, write: refuse, remove: refuse };
  return { ...boundStore(store), ledger, operatorRows, append: refuse, appendPrepared: refuse };
}
