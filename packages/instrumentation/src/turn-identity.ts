/** @module TurnIdentity: who a turn belongs to, and that every part of it is an opaque id. */
import { attribute, CodedError, opaqueIdentity } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";

/** Identity of a turn. `userId`: the tenant, null for anonymous, absent when nobody said. */
export interface TurnIdentity {
  readonly applicationId?: string;
  readonly agentId: string;
  readonly userId?: string | null;
  readonly memoryId?: string;
  readonly threadId: string;
  readonly runId: string;
  readonly turnId: string;
}

const identityRows: readonly (readonly [keyof TurnIdentity, AttributeRow, boolean])[] = [
  ["applicationId", attribute.application_id, false],
  ["agentId", attribute.agent_id, true],
  ["userId", attribute.user_id, false],
  ["memoryId", attribute.memory_id, false],
  ["threadId", attribute.thread_id, true],
  ["runId", attribute.run_id, true],
  ["turnId", attribute.turn_id, true],
];

/**
 * The identity with every keyed field replaced; refuses what is not opaque then (design 3.1).
 * @throws CodedError identity_missing, identity_empty, identity_not_opaque
 */
export function checkedIdentity(identity: TurnIdentity): TurnIdentity {
  const checked: { -readonly [K in keyof TurnIdentity]: TurnIdentity[K] } = { ...identity };
  for (const [field, row, required] of identityRows) {
    const value = identity[field];
    if (value === undefined && required) throw new CodedError("identity_missing", { field });
    if (typeof value === "string") checked[field] = opaqueIdentity(row, value, field);
  }
  return Object.freeze(checked);
}
