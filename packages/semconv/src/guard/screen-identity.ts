/** @module ScreenIdentity: in which form an identity or a name is kept: as it came, or keyed. */
import type { Code } from "../codes.ts";
import type { AttributeRow } from "../registry/row.ts";
import { screenText } from "./screen-value.ts";

/**
 * Replaces a value that the row refuses by its fingerprint, e.g. `createIdentityKey` of a key; the
 * row declares whether it is an identity or a name.
 */
export type IdentityKey = (value: string, row: AttributeRow) => string;

/** The form of a keyed name, or of a name's digest: the name of a key and 26 characters. */
const keyedNamePattern: RegExp = /^[a-z0-9]{1,12}_[a-z2-7]{26}$/;

/** The form in which an identity is kept, as it came or keyed; or why it is refused. */
export type ScreenedIdentity =
  | { readonly value: string; readonly keyed: boolean }
  | { readonly code: Code };

/**
 * Screens an identity or a name. Without `key` (our own API) a value that its row refuses is
 * refused with `identity_not_opaque`; with `key` (a receiver) it is replaced by its fingerprint,
 * never dropped. A name that another process keyed is passed to `key` too, because its list of
 * names may resolve it. A whole number counts as its digits. Errors: `identity_empty`,
 * `attribute_type`.
 */
export function screenIdentity(
  row: AttributeRow,
  value: unknown,
  options: { readonly key?: IdentityKey } = {},
): ScreenedIdentity {
  const text =
    typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))
      ? String(value)
      : value;
  if (typeof text !== "string") return { code: "attribute_type" };
  if (text === "") return { code: "identity_empty" };
  const { key } = options;
  if (key !== undefined && row.keyed === "name" && isKeyedName(text)) {
    return { value: key(text, row), keyed: false };
  }
  if (screenText(row, text) === undefined) return { value: text, keyed: false };
  return key === undefined
    ? { code: "identity_not_opaque" }
    : { value: key(text, row), keyed: true };
}

/**
 * True for the form of a keyed name; length is checked first, because this runs for every name.
 */
export function isKeyedName(text: string): boolean {
  const { length } = text;
  return (
    length > 27 && length < 40 && text.charCodeAt(length - 27) === 95 && keyedNamePattern.test(text)
  );
}
