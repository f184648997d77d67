/** @module Summary: bounded counts and freshness of an agent's scope (requirements: Summary). */
import type { KindCount } from "@turnproof/memory";
import { attribute, isoNow, knownIdentity } from "@turnproof/semconv";
import type { AttributeRow, Identity, OptionalIdentity, ScopedKind } from "@turnproof/semconv";
import { summarizeEvidence } from "@turnproof/store";
import type { EvidenceSummary } from "@turnproof/store";

import type { AgentParts } from "./parts.ts";
import { idOf } from "./id-of.ts";

/** Scope of the summary. A missing, undefined or null `userId` is the anonymous scope. */
export type SummaryOptions = OptionalIdentity<"memoryId" | "userId" | "threadId">;

/** Counts of memory and evidence. */
export interface StoredCounts extends Pick<Identity, "agent_id"> {
  readonly scope_applied: "user" | "anonymous";
  readonly memory: { readonly [K in ScopedKind]: KindCount };
  /** Newest row of memory; null when there is none. */
  readonly latest_memory_at: string | null;
  /** Counts of the evidence; null, and `not_measured`, where the agent has no reader. */
  readonly evidence: EvidenceSummary | null;
  readonly evidence_state: "known" | "partial" | "not_measured";
}

/**
 * Counts memory and evidence of a scope.
 * @throws CodedError identity_empty, record_invalid, as {@link Agent.run}
 */
export async function summarizeAgent(
  parts: AgentParts,
  options: SummaryOptions,
): Promise<StoredCounts> {
  const known = (row: AttributeRow, value: string): string => knownIdentity(row, value);
  const agentId = known(attribute.agent_id, parts.agentId);
  // Validated as in `run`: a wrong type is an error, never the anonymous scope.
  const requested = {
    userId: idOf(options.userId, "userId"),
    memoryId: idOf(options.memoryId, "memoryId") ?? parts.options.memoryId ?? parts.agentId,
    threadId: idOf(options.threadId, "threadId"),
  };
  const threadId =
    requested.threadId === undefined ? undefined : known(attribute.thread_id, requested.threadId);
  const userId = requested.userId === undefined ? null : known(attribute.user_id, requested.userId);
  const memoryId = known(attribute.memory_id, requested.memoryId);
  const memory = await parts.memory.counts({ userId, agentId, memoryId, threadId });
  const latest = Object.values(memory)
    .flatMap(({ latest_at }) => (latest_at === null ? [] : [latest_at]))
    .toSorted()
    .at(-1);
  const reader = parts.options.evidence;
  const evidence =
    reader === undefined
      ? null
      : await summarizeEvidence(
          reader,
          { tenant: userId },
          {
            agent_id: agentId,
            memory_id: memoryId,
            ...(threadId === undefined ? {} : { thread_id: threadId }),
          },
          { now: isoNow() },
        );
  return {
    agent_id: agentId,
    scope_applied: userId === null ? "anonymous" : "user",
    memory,
    latest_memory_at: latest ?? null,
    evidence,
    evidence_state:
      evidence === null ? "not_measured" : evidence.window_complete ? "known" : "partial",
  };
}
