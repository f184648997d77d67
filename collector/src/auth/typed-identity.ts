/**
 * @module Typed identity: what people type is keyed like what producers send, so that a raw id
 * finds the events of its fingerprint (design 3.1). What is opaque already stays as it is.
 */
import { attribute, screenIdentity, screenValue } from "@turnproof/semconv";
import { identityPurpose, keyedFingerprint } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

/**
 * Brings an identity as somebody typed it to the form in which it is stored. An agent is known by
 * its name where nothing gives it an id (design 3.8), and a name may have spaces.
 */
export type TypedIdentity = (value: string, field?: string) => string;

/** Keys what is not opaque under the receiver's own key and purpose. */
export function createTypedIdentity(key: Key): TypedIdentity {
  const options = {
    key: (value: string) => keyedFingerprint(value, { key, purpose: identityPurpose }),
  };
  return (value, field) => {
    if (field === "agent_id" && screenValue(attribute.agent_name, value) === undefined) {
      return value;
    }
    const screened = screenIdentity(attribute.user_id, value, options);
    return "value" in screened ? screened.value : value;
  };
}
