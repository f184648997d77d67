/**
 * @module Provider: what a provider that keeps both ports in one place hands out. Each handle is
 * its own: a request path is given `evidence` or `memory`, only operators' commands look at
 * `memory.admin`.
 */
import type { MemoryAdmin } from "./admin.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Retention } from "./retention.ts";

/** A memory together with its administrative side. */
export type AdministeredMemory = MemoryStore & { readonly admin: MemoryAdmin };

/** A provider of evidence and memory; closing it closes both. */
export interface Provider extends AsyncDisposable {
  readonly name: string;
  readonly evidence: EvidenceStore;
  readonly memory: AdministeredMemory;
  /** Takes away what is past its age, for operators' commands. */
  readonly retention: Retention;
  close(): Promise<void>;
}
