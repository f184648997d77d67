/**
 * @module LegacyRecord: a document of an earlier version as a row, the same for every provider
 * that keeps documents. Its ids may be of any type, fields may be missing, dates may be dates;
 * what becomes no field of the row stays in its data, because the document is replaced by the row.
 * One without a `user_id` is anonymous (requirements: Scope hierarchy 3); one whose `user_id`
 * is no text, or an empty one, is nobody's row: it is shown to nobody and reported, never
 * anonymous.
 */
import type { ScopedKind, SharedKind } from "@turnproof/semconv";

import type { Json, MemoryRecord, SharedRecord } from "../memory-store.ts";
import { recordOf, sharedRecordOf } from "./record-rules.ts";

/** A document as it was read. */
export type Said = Readonly<Record<string, unknown>>;

/** A time that was never said. */
const unknownTime = "1970-01-01T00:00:00.000Z";

/** Where the `id` of a document is kept that a unique index does not allow beside another's. */
export const legacyIdField = "legacy_id";

/** Fields that become fields of the row; the others become its data. */
const ownFields: ReadonlySet<string> = new Set(
  (
    "id _id legacy_id kind user_id agent_id memory_id thread_id text content embedding data " +
    "created_at timestamp updated_at expires_at version"
  ).split(" "),
);

/**
 * The row that a document becomes; undefined where it can be none of ours.
 * @param base its id where it says none
 * @param indexed what an index says of it, which counts where the document itself says nothing
 */
export function legacyRecord(
  kind: ScopedKind,
  said: Said,
  base: string,
  indexed: Said = {},
): MemoryRecord | undefined {
  const tenant = said["user_id"] ?? indexed["user_id"] ?? null;
  // Whoever the row belongs to, it cannot be told: not the anonymous scope either.
  if (tenant !== null && (typeof tenant !== "string" || tenant === "")) return undefined;
  // As text, so that two agents or threads with ids of another type never become one without an id.
  const level = (name: string): object =>
    optional(name, legacyId(said[name]) ?? legacyId(indexed[name]));
  const draft = {
    ...commonOf(said, base),
    ...level("agent_id"),
    ...level("memory_id"),
    ...level("thread_id"),
    ...optional("expires_at", legacyTime(said["expires_at"])),
  };
  return madeBy(() => recordOf({ tenant }, kind, draft, writtenOf(said, draft.created_at)));
}

/** The same for kinds that have no tenant. */
export function legacyShared(kind: SharedKind, said: Said, base: string): SharedRecord | undefined {
  const draft = commonOf(said, base);
  return madeBy(() => sharedRecordOf(kind, draft, writtenOf(said, draft.created_at)));
}

type Draft = Pick<MemoryRecord, "id" | "data" | "created_at" | "text" | "embedding">;

function commonOf(said: Said, base: string): Draft {
  return {
    id: legacyId(said["id"]) ?? legacyId(said[legacyIdField]) ?? legacyId(said["_id"]) ?? base,
    ...optional("text", text(said["text"]) ?? text(said["content"])),
    ...optional("embedding", numbers(said["embedding"])),
    data: dataOf(said),
    created_at: legacyTime(said["created_at"]) ?? legacyTime(said["timestamp"]) ?? unknownTime,
  };
}

function writtenOf(
  said: Said,
  created: string,
): { readonly now: string; readonly version: number } {
  return { now: legacyTime(said["updated_at"]) ?? created, version: 1 };
}

function madeBy<R>(make: () => R): R | undefined {
  try {
    return make();
  } catch {
    // What can be no row of ours stays where it lies.
    return undefined;
  }
}

/** An id of any type as text: BSON's own, and the same as extended JSON writes them. */
export function legacyId(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if ((value as { readonly _bsontype?: unknown })._bsontype === "Long") {
    return (value as { toString(): string }).toString();
  }
  const plain: unknown = JSON.parse(JSON.stringify(value));
  if (typeof plain === "string") return plain === "" ? undefined : plain;
  const [only, ...others] = Object.entries(plain as Said);
  const isExtended = only !== undefined && others.length === 0 && only[0].startsWith("$");
  return isExtended ? legacyId(only[1]) : JSON.stringify(plain);
}

/** A time of any form as ISO 8601 UTC: text, a date, seconds or milliseconds since 1970. */
function legacyTime(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value === "object" && value !== null) {
    const { $date, $numberLong } = value as { readonly $date?: unknown; $numberLong?: unknown };
    if ($numberLong !== undefined) return legacyTime(Number($numberLong));
    return $date === undefined ? undefined : legacyTime($date);
  }
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  // Milliseconds of this size lie before March 1973, seconds of it in the year 5138.
  const isSeconds = typeof value === "number" && Math.abs(value) < 1e11;
  const date = new Date(isSeconds ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function dataOf(said: Said): { readonly [key: string]: Json } {
  const { data } = said;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  const rest = Object.entries(said).filter(([name]) => !ownFields.has(name) || isLeft(said, name));
  const all = { ...Object.fromEntries(rest), ...(isObject ? data : {}) };
  return JSON.parse(JSON.stringify(all)) as { readonly [key: string]: Json };
}

/** True for a value under a name of ours that becomes no field of the row. */
function isLeft(said: Said, name: string): boolean {
  const value = said[name] ?? "";
  if (value === "") return false;
  switch (name) {
    case "text":
      return text(value) === undefined;
    case "content":
      return text(said["text"]) === undefined ? text(value) === undefined : value !== said["text"];
    case "timestamp":
      return legacyTime(value) === undefined || legacyTime(said["created_at"]) !== undefined;
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
