/**
 * @module Keyed identity: which identity fields this process replaces by fingerprints first of all
 * (vocabulary: Identity). Instrumentation, memory and the gate share it, so an id has the same form
 * everywhere. It holds a function, never a key.
 */
import { CodedError } from "./coded-error.ts";
import { screenIdentity } from "./guard/screen-identity.ts";
import { screenValue } from "./guard/screen-value.ts";
import type { IdentityKey } from "./guard/screen-identity.ts";
import type { RegistryName } from "./registry.ts";
import type { AttributeRow } from "./registry/row.ts";

/** Fields by their event names, e.g. `user_id`, and the function that makes the fingerprint. */
export interface IdentityKeying {
  readonly fields: readonly RegistryName[];
  readonly key: IdentityKey;
}

/** One instance for all copies of this package in a process, as in OpenTelemetry's API. */
const slot = Symbol.for("turnproof.keyed-identity");
const place = globalThis as { [slot]?: IdentityKeying | undefined };

/**
 * Sets which fields are keyed from now on; undefined: none. The exporter's `register` calls it.
 */
export function keyIdentities(keying: IdentityKeying | undefined): void {
  place[slot] = keying;
}

/**
 * The stored form of an identity: a value of a keyed field that is not opaque becomes its
 * fingerprint; every other value is unchanged.
 */
export function knownIdentity(row: AttributeRow, value: string): string {
  const keying = place[slot];
  if (keying === undefined || !keying.fields.includes(row.event as RegistryName)) return value;
  const screened = screenIdentity(row, value, { key: keying.key });
  return "value" in screened ? screened.value : value;
}

/**
 * The stored form for evidence: a value that is neither opaque nor keyed is refused.
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
