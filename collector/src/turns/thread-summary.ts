/**
 * @module ThreadSummary: one thread over all of its turns.
 */
import type { NullableIdentity } from "@turnproof/semconv";

import type { NamedGroup, TurnGroup } from "./turn-groups.ts";

/** One thread; its agents and users are listed, because several of them can be a finding. */
export interface ThreadSummary extends TurnGroup, NullableIdentity<"thread_id"> {
  readonly agent_ids: readonly string[];
  /** Tenants, with null for the anonymous; unattributed turns add nothing. */
  readonly user_ids: readonly (string | null)[];
}

/** The summary of a group of turns by thread. */
export function threadOf({ value, group, names }: NamedGroup): ThreadSummary {
  const { agent_ids, user_ids } = names;
  return { thread_id: value, agent_ids, user_ids, ...group };
}
