/** @module MemoryFilter: a tenant and levels of evidence as a filter of memory. */
import type { EventIdentity } from "@turnproof/evidence";
import type { MemoryFilter } from "@turnproof/store";

/** The filter of one tenant; an absent level does not narrow it. */
export function memoryFilter(
  tenant: string | null,
  levels: Pick<EventIdentity, "agent_id" | "memory_id" | "thread_id">,
): MemoryFilter {
  const { agent_id, memory_id, thread_id } = levels;
  return {
    tenant,
    ...(agent_id === undefined ? {} : { agentId: agent_id }),
    ...(memory_id === undefined ? {} : { memoryId: memory_id }),
    ...(thread_id === undefined ? {} : { threadId: thread_id }),
  };
}
