/**
 * @module Typed identity: what people type is keyed like what producers send, so that a raw id or a
 * raw name finds the events of its fingerprint (design 3.1). What passes already stays as it is.
 */
import { attribute, screenIdentity } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";
import type { Key } from "@turnproof/semconv/fingerprint";
import { createIdentityKey } from "@turnproof/semconv/name-key";

/** Brings an identity as somebody typed it, of a field of events, to the form in which it is stored. */
export type TypedIdentity = (value: string, field?: string) => string;

const rows: { readonly [field: string]: AttributeRow | undefined } = attribute;

/** Keys what its field refuses, under the receiver's own key and purposes. */
export function createTypedIdentity(key: Key, knownNames: readonly string[] = []): TypedIdentity {
  const options = { key: createIdentityKey(key, knownNames) };
  return (value, field = "user_id") => {
    const row = Object.hasOwn(rows, field) ? rows[field] : undefined;
    const screened = screenIdentity(row ?? attribute.user_id, value, options);
    return "value" in screened ? screened.value : value;
  };
}
