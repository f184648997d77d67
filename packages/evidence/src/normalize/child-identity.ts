/**
 * @module ChildIdentity: the identity of a stored record from its envelope and its child. A child
 * that contradicts its envelope is rejected, and a recorded value is never read as an absent one
 * (requirements: Scope hierarchy 2 and 3).
 */
import { identityFields } from "@turnproof/semconv";
import type { IdentityField, UntypedRecord } from "@turnproof/semconv";

import type { EventIdentity } from "../event/event.ts";
import { isUsableId } from "./normalization-findings.ts";

export type MutableIdentity = { -readonly [K in keyof EventIdentity]: EventIdentity[K] };

/** The identity, or why it is rejected. */
export type IdentityReading =
  | { readonly identity: MutableIdentity; readonly fault?: undefined }
  | { readonly identity?: undefined; readonly fault: "unusable" | "mismatch" };

/** An envelope without identity. */
export const noIdentity: MutableIdentity = {};

/** Names that older writers used for the same field. */
const olderNames: { readonly [field in IdentityField]?: readonly string[] } = {
  application_id: ["application", "service_name"],
  thread_id: ["conversation_id", "session_id"],
  root_trace_id: ["trace_id", "root_id"],
};

/**
 * Reads the identity fields of one record. A value that is present but unusable is a fault: an id
 * of a wrong type must not become absent. Older writers also used numbers, for every field but the
 * user.
 */
export function readIdentity(record: UntypedRecord, legacy: boolean): IdentityReading {
  const identity: MutableIdentity = {};
  for (const field of identityFields) {
    let value = record[field];
    if (value === undefined && legacy) value = olderValue(record, field);
    if (value === undefined) continue;
    if (value === null) {
      // Only the tenant can be explicitly anonymous; for every other field null means absent.
      if (field === "user_id") identity.user_id = null;
      continue;
    }
    // A user that is no text is rejected: converted to text it would be another tenant's id.
    if (legacy && field !== "user_id" && typeof value === "number" && Number.isSafeInteger(value)) {
      value = String(value);
    }
    if (!isUsableId(value)) return { fault: "unusable" };
    identity[field] = value;
  }
  return { identity };
}

function olderValue(record: UntypedRecord, field: IdentityField): unknown {
  for (const name of olderNames[field] ?? []) {
    if (record[name] !== undefined && record[name] !== null) return record[name];
  }
  return undefined;
}

/** Merges two readings; a field in both must be equal. */
export function mergeIdentity(outer: MutableIdentity, inner: MutableIdentity): IdentityReading {
  if (outer === noIdentity) return { identity: inner };
  const identity: MutableIdentity = { ...outer };
  for (const field of identityFields) {
    const value = inner[field];
    if (value === undefined) continue;
    if (outer[field] !== undefined && outer[field] !== value) return { fault: "mismatch" };
    identity[field] = value as string;
  }
  return { identity };
}

/**
 * True when a legacy record has scope fields, so that an absent tenant means anonymous: the tenant
 * of a child is never applied to a legacy row.
 */
export function namesScope(identity: MutableIdentity): boolean {
  return (
    identity.user_id !== undefined ||
    identity.agent_id !== undefined ||
    identity.memory_id !== undefined ||
    identity.thread_id !== undefined
  );
}
