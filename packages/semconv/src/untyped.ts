/** @module Untyped: values of records that others wrote, before their fields are checked. */

/** A record whose fields may hold anything. */
export type UntypedRecord = Readonly<Record<string, unknown>>;

/** A record that may have the fields of `T`, each with any value. */
export type Untyped<T> = { readonly [K in keyof T]?: unknown };

/** True for an object that is no list. */
export function isRecord(value: unknown): value is UntypedRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
