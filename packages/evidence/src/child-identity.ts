/**
 * @module ChildIdentity: who a stored record belongs to, as its envelope and its child say. A child
 * that contradicts its envelope belongs to nobody, and nothing that was said is ever read as
 * "nobody said" (requirements: tenant rules 2 and 3).
 */
import type { EventIdentity, IdentityField } from "./event.ts";
import { identityFields } from "./event.ts";
import { isUsableId } from "./normalization-findings.ts";

type Loose = Readonly<Record<string, unknown>>;
export type IdentityDraft = { -readonly [K in keyof EventIdentity]: EventIdentity[K] };

/** Identity as it could be read, or why not. */
export type IdentityReading =
  | { readonly identity: IdentityDraft; readonly fault?: undefined }
  | { readonly identity?: undefined; readonly fault: "unusable" | "mismatch" };

/** An envelope that says nothing. */
export const noIdentity: IdentityDraft = {};

/** Names that older writers used for the same field. */
const olderNames: { readonly [field in IdentityField]?: readonly string[] } = {
  application_id: ["application", "service_name"],
  thread_id: ["conversation_id", "session_id"],
  root_trace_id: ["trace_id", "root_id"],
};

/**
 * Reads the identity fields of one record. A value that is present but unusable is a fault: an id
 * of a wrong type must not turn into an absent one. Older writers also used numbers, for all but
 * the user.
 */
export function readIdentity(record: Loose, legacy: boolean): IdentityReading {
  const identity: IdentityDraft = {};
  for (const field of identityFields) {
    let value = record[field];
    if (value === undefined && legacy) value = olderValue(record, field);
    if (value === undefined) continue;
    if (value === null) {
      // Only a tenant can be said to be nobody; for every other field null is absence.
      if (field === "user_id") identity.user_id = null;
      continue;
    }
    // A user that is no text is nobody: read as text it would be somebody's whom the text names.
    if (legacy && field !== "user_id" && typeof value === "number" && Number.isSafeInteger(value)) {
      value = String(value);
    }
    if (!isUsableId(value)) return { fault: "unusable" };
    identity[field] = value;
  }
  return { identity };
}

function olderValue(record: Loose, field: IdentityField): unknown {
  for (const name of olderNames[field] ?? []) {
    if (record[name] !== undefined && record[name] !== null) return record[name];
  }
  return undefined;
}

/** Two readings as one; a field that both say must be the same. */
export function mergeIdentity(outer: IdentityDraft, inner: IdentityDraft): IdentityReading {
  if (outer === noIdentity) return { identity: inner };
  const identity: IdentityDraft = { ...outer };
  for (const field of identityFields) {
    const value = inner[field];
    if (value === undefined) continue;
    if (outer[field] !== undefined && outer[field] !== value) return { fault: "mismatch" };
    identity[field] = value as string;
  }
  return { identity };
}

/**
 * True when a legacy record speaks of its scope, so that a tenant it does not name is the anonymous
 * one: legacy rows never become somebody's because a child of theirs says so.
 */
export function speaksOfScope(identity: IdentityDraft): boolean {
  return (
    identity.user_id !== undefined ||
    identity.agent_id !== undefined ||
    identity.memory_id !== undefined ||
    identity.thread_id !== undefined
  );
}
