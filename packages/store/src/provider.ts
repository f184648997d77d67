/**
 * @module Provider: a provider with both ports. Each handle is separate: request handlers receive
 * `evidence` or `memory`, only operator commands use `memory.admin`.
 */
import type { MemoryAdmin } from "./memory-admin.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Retention } from "./retention.ts";

/** A memory with its administrative access. */
export type AdministeredMemory = MemoryStore & { readonly admin: MemoryAdmin };

/** A provider of evidence and memory; closing it closes both. */
export interface Provider extends AsyncDisposable {
  readonly name: string;
  readonly evidence: EvidenceStore;
  readonly memory: AdministeredMemory;
  /** Deletes what is past its age, for operator commands. */
  readonly retention: Retention;
  close(): Promise<void>;
}
