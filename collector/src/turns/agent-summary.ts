/**
 * @module AgentSummary: one agent over all of its turns.
 */
import type { NullableIdentity } from "@turnproof/semconv";

import type { NamedGroup, TurnGroup } from "./turn-groups.ts";

/** One agent. */
export interface AgentSummary extends TurnGroup, NullableIdentity<"agent_id"> {
  readonly application_ids: readonly string[];
  readonly threads: number;
}

/** The summary of a group of turns by agent. */
export function agentOf({ value, group, names }: NamedGroup): AgentSummary {
  const { application_ids, threads } = names;
  return { agent_id: value, application_ids, threads, ...group };
}
