/**
 * @module Keyed identity: which identity fields this process replaces by fingerprints before
 * anything else happens to them (design 3.1). The witness, memory and the gate ask here, so one id
 * has one form everywhere. It holds a function, never a key.
 */
import { CodedError } from "./coded-error.ts";
import { screenIdentity, screenValue } from "./guard.ts";
import type { IdentityKey } from "./guard.ts";
import type { RegistryName } from "./registry.ts";
import type { AttributeRow } from "./registry/row.ts";

/** Fields by their event names, e.g. `user_id`, and what makes the fingerprint. */
export interface IdentityKeying {
  readonly fields: readonly RegistryName[];
  readonly key: IdentityKey;
}

/** One for all copies of this package in a process, as OpenTelemetry's API keeps its own. */
const slot = Symbol.for("turnproof.keyed-identity");
const place = globalThis as { [slot]?: IdentityKeying | undefined };

/** Says which fields are keyed from now on; undefined: none. `register` of the exporter calls it. */
export function keyIdentities(keying: IdentityKeying | undefined): void {
  place[slot] = keying;
}

/**
 * The form in which an identity is known here: of a keyed field what is not opaque becomes its
 * fingerprint; everything else stays as it came.
 */
export function knownIdentity(row: AttributeRow, value: string): string {
  const keying = place[slot];
  if (keying === undefined || !keying.fields.includes(row.event as RegistryName)) return value;
  const screened = screenIdentity(row, value, { key: keying.key });
  return "value" in screened ? screened.value : value;
}

/**
 * The same, for evidence: what is neither opaque nor keyed is refused.
 * @throws CodedError identity_empty, attribute_too_long, identity_not_opaque
 */
export function opaqueIdentity(row: AttributeRow, value: string, field: string): string {
  if (value === "") throw new CodedError("identity_empty", { field });
  const reason = screenValue(row, value);
  if (reason === undefined) return value;
  const known = knownIdentity(row, value);
  if (known === value) {
    const isLong = reason === "attribute_too_long";
    throw new CodedError(isLong ? reason : "identity_not_opaque", { field });
  }
  return known;
}
