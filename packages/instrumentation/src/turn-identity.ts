/** @module TurnIdentity: the ids of a turn; each part is an opaque id. */
import { attribute, CodedError, opaqueIdentity, randomId } from "@turnproof/semconv";
import type { AttributeRow, IdentityOptions } from "@turnproof/semconv";
import { identityPurpose, keyedFingerprint } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";
import { nameDigest } from "@turnproof/semconv/name-key";

/** Identity of a turn. `userId`: the tenant, null for anonymous, absent when not recorded. */
export interface TurnIdentity
  extends
    Pick<IdentityOptions, "agentId" | "threadId" | "runId" | "turnId">,
    Partial<Pick<IdentityOptions, "applicationId" | "userId" | "memoryId">> {}

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
 * The identity with every keyed field replaced; refuses values that are not opaque then
 * (vocabulary: Identity).
 * @throws CodedError identity_missing, identity_empty, identity_not_opaque, attribute_too_long
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

/** A usable identity, and the fields that were refused. */
export interface AdmittedIdentity {
  readonly identity: TurnIdentity;
  readonly refused: readonly (keyof TurnIdentity)[];
}

/**
 * The usable part of an identity; never throws. A refused user, memory or application becomes
 * absent (unattributed, never anonymous). A refused agent becomes its keyed name. A refused thread
 * becomes an id of its own, the same for the same value in this process, so that two threads stay
 * distinct. A missing thread becomes a thread of one turn.
 */
export function admittedIdentity(given: TurnIdentity): AdmittedIdentity {
  const identity: { -readonly [K in keyof TurnIdentity]?: TurnIdentity[K] } = {};
  const refused: (keyof TurnIdentity)[] = [];
  for (const [field, row, required] of identityRows) {
    const value: unknown = given[field];
    if (value === undefined && !required) continue;
    if (value === null && field === "userId") {
      identity.userId = null;
      continue;
    }
    const id = usable(row, value, field);
    if (id !== undefined) identity[field] = id;
    else refused.push(field);
    if (id === undefined && required) identity[field] = standIn(field, value);
  }
  return { identity: identity as TurnIdentity, refused };
}

function usable(row: AttributeRow, value: unknown, field: string): string | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return opaqueIdentity(row, value, field);
  } catch {
    return undefined;
  }
}

let processKey: Key | undefined;

/**
 * A replacement for an id that cannot be kept. An agent's is the digest of its name, as for any
 * name that the gate refuses: stable across restarts, and resolvable by a key or a list of names.
 * A thread's is keyed with a key that never leaves the process.
 */
function standIn(field: keyof TurnIdentity, value: unknown): string {
  if (field === "agentId") {
    return typeof value === "string" && value !== "" ? nameDigest(value) : "unnamed";
  }
  if (field !== "threadId" || typeof value !== "string" || value === "") return randomId();
  processKey ??= { kid: "refused", secret: crypto.getRandomValues(new Uint8Array(32)) };
  return keyedFingerprint(value, { key: processKey, purpose: identityPurpose });
}
