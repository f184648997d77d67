/**
 * @module LegacyRecord: converts a document of an earlier version to a row, the same for every
 * provider of documents. Its ids may be of any type, fields may be missing, dates may be dates;
 * fields without a counterpart are kept in its data, because the row replaces the document. One
 * without a `user_id` is anonymous (requirements: Scope hierarchy 3); one whose `user_id` is empty
 * or no text belongs to no tenant: it is never returned, always reported, and never anonymous.
 */
import type { ScopedKind, SharedKind } from "@turnproof/semconv";
import { isoTime } from "@turnproof/semconv";

import type { Json, MemoryRecord, SharedRecord } from "../memory-store.ts";
import { recordOf, sharedRecordOf } from "../memory/record-rules.ts";

/** A document as read. */
export type ReadDocument = Readonly<Record<string, unknown>>;

/** Stands for a time that was not recorded. */
const unknownTime = "1970-01-01T00:00:00.000Z";

/** Holds the `id` of a document when a unique index does not allow it beside another's. */
export const legacyIdField = "legacy_id";

/** Fields that become fields of the row; the others become its data. */
const ownFields: ReadonlySet<string> = new Set(
  (
    "id _id legacy_id kind user_id agent_id memory_id thread_id text content embedding data " +
    "created_at timestamp updated_at expires_at version"
  ).split(" "),
);

/**
 * The row of a document; undefined where it cannot be one.
 * @param base its id where it has none
 * @param indexed its index entry, used where the document itself has no value
 */
export function legacyRecord(
  kind: ScopedKind,
  read: ReadDocument,
  base: string,
  indexed: ReadDocument = {},
): MemoryRecord | undefined {
  const tenant = read["user_id"] ?? indexed["user_id"] ?? null;
  // The tenant cannot be determined, so it is not the anonymous scope either.
  if (tenant !== null && (typeof tenant !== "string" || tenant === "")) return undefined;
  // As text, so that two agents or threads with ids of another type never become one without an
  // id.
  const level = (name: string): object =>
    optional(name, legacyId(read[name]) ?? legacyId(indexed[name]));
  const draft = {
    ...commonOf(read, base),
    ...level("agent_id"),
    ...level("memory_id"),
    ...level("thread_id"),
    ...optional("expires_at", legacyTime(read["expires_at"])),
  };
  return madeBy(() => recordOf({ tenant }, kind, draft, writtenOf(read, draft.created_at)));
}

/** The same for kinds without a tenant. */
export function legacyShared(
  kind: SharedKind,
  read: ReadDocument,
  base: string,
): SharedRecord | undefined {
  const draft = commonOf(read, base);
  return madeBy(() => sharedRecordOf(kind, draft, writtenOf(read, draft.created_at)));
}

type Draft = Pick<MemoryRecord, "id" | "data" | "created_at" | "text" | "embedding">;

function commonOf(read: ReadDocument, base: string): Draft {
  return {
    id: legacyId(read["id"]) ?? legacyId(read[legacyIdField]) ?? legacyId(read["_id"]) ?? base,
    ...optional("text", text(read["text"]) ?? text(read["content"])),
    ...optional("embedding", numbers(read["embedding"])),
    data: dataOf(read),
    created_at: legacyTime(read["created_at"]) ?? legacyTime(read["timestamp"]) ?? unknownTime,
  };
}

function writtenOf(
  read: ReadDocument,
  created: string,
): { readonly now: string; readonly version: number } {
  return { now: legacyTime(read["updated_at"]) ?? created, version: 1 };
}

function madeBy<R>(make: () => R): R | undefined {
  try {
    return make();
  } catch {
    // A document that cannot be a row is kept in place.
    return undefined;
  }
}

/** An id of any type as text: BSON's own types, and their extended JSON form. */
export function legacyId(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : isoTime(value.getTime());
  if ((value as { readonly _bsontype?: unknown })._bsontype === "Long") {
    return (value as { toString(): string }).toString();
  }
  const plain: unknown = JSON.parse(JSON.stringify(value));
  if (typeof plain === "string") return plain === "" ? undefined : plain;
  const [only, ...others] = Object.entries(plain as ReadDocument);
  const isExtended = only !== undefined && others.length === 0 && only[0].startsWith("$");
  return isExtended ? legacyId(only[1]) : JSON.stringify(plain);
}

/** A time of any form as ISO 8601 UTC: text, a date, seconds or milliseconds since 1970. */
function legacyTime(value: unknown): string | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : isoTime(value.getTime());
  if (typeof value === "object" && value !== null) {
    const { $date, $numberLong } = value as { readonly $date?: unknown; $numberLong?: unknown };
    if ($numberLong !== undefined) return legacyTime(Number($numberLong));
    return $date === undefined ? undefined : legacyTime($date);
  }
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  // Read as milliseconds such a value is before March 1973; read as seconds, up to the year 5138.
  const isSeconds = typeof value === "number" && Math.abs(value) < 1e11;
  const date = new Date(isSeconds ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : isoTime(date.getTime());
}

function dataOf(read: ReadDocument): { readonly [key: string]: Json } {
  const { data } = read;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  const rest = Object.entries(read).filter(([name]) => !ownFields.has(name) || isLeft(read, name));
  const all = { ...Object.fromEntries(rest), ...(isObject ? data : {}) };
  return JSON.parse(JSON.stringify(all)) as { readonly [key: string]: Json };
}

/** True for a value under one of our names that is not converted to a field of the row. */
function isLeft(read: ReadDocument, name: string): boolean {
  const value = read[name] ?? "";
  if (value === "") return false;
  switch (name) {
    case "text":
      return text(value) === undefined;
    case "content":
      return text(read["text"]) === undefined ? text(value) === undefined : value !== read["text"];
    case "timestamp":
      return legacyTime(value) === undefined || legacyTime(read["created_at"]) !== undefined;
    case "created_at":
    case "updated_at":
    case "expires_at":
      return legacyTime(value) === undefined;
    case "data":
      return typeof value !== "object" || Array.isArray(value);
    default:
      return false;
  }
}

function optional(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numbers(value: unknown): readonly number[] | undefined {
  return Array.isArray(value) && value.every(Number.isFinite) ? value : undefined;
}
