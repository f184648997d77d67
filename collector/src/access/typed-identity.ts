/**
 * @module Typed identity: keys ids and names that people type like those that producers send, so
 * that a plain id or name finds the events of its fingerprint (vocabulary: Identity). An admitted
 * value is unchanged.
 */
import { attribute, screenIdentity } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";
import type { Key } from "@turnproof/semconv/fingerprint";
import { createIdentityKey } from "@turnproof/semconv/name-key";

/** Converts a typed identity of an event field to its stored form. */
export type TypedIdentity = (value: string, field?: string) => string;

const rows: { readonly [field: string]: AttributeRow | undefined } = attribute;

/** Keys what the field's row refuses, under the receiver's own key and purposes. */
export function createTypedIdentity(key: Key, knownNames: readonly string[] = []): TypedIdentity {
  const options = { key: createIdentityKey(key, knownNames) };
  return (value, field = "user_id") => {
    const row = Object.hasOwn(rows, field) ? rows[field] : undefined;
    const screened = screenIdentity(row ?? attribute.user_id, value, options);
    return "value" in screened ? screened.value : value;
  };
}
