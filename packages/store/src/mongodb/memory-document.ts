/**
 * @module MemoryDocument: a memory record as a document, and back. Payloads are stored as JSON
 * text, so that none of their keys can be read as an operator or a path (faults T2).
 */
import type { ScopedKind, SharedKind, TenantFilter } from "@turnproof/semconv";
import type { Document, Filter } from "mongodb";

import { legacyRecord, legacyShared } from "../legacy/memory-record.ts";
import { levelsOf } from "../memory/record-rules.ts";
import { timeKey } from "../memory/similarity.ts";
import type { Json, MemoryFilter, MemoryRecord, SharedRecord } from "../memory-store.ts";

/** The document of a scoped record. */
export function scopedDocument(record: MemoryRecord): Document {
  return {
    ...common(record),
    user_id: record.user_id,
    agent_id: record.agent_id ?? null,
    memory_id: record.memory_id ?? null,
    thread_id: record.thread_id ?? null,
    expires_at: record.expires_at ?? null,
    expires_ms: record.expires_at === undefined ? null : Date.parse(record.expires_at),
  };
}

/** The document of a shared record. */
export function sharedDocument(record: SharedRecord): Document {
  return common(record);
}

type Common = Omit<SharedRecord, "kind">;

function common(record: Common): Document {
  return {
    id: record.id,
    text: record.text ?? null,
    embedding: record.embedding === undefined ? null : [...record.embedding],
    data: JSON.stringify(record.data),
    created_at: record.created_at,
    created_key: timeKey(record.created_at),
    updated_at: record.updated_at,
    version: record.version,
  };
}

/**
 * The record of a scoped document; a legacy one without a user is anonymous. The user of one
 * without a valid tenant equals no tenant: statements exclude it, and so does `insideFilter`.
 */
export function scopedRecord(document: Document, kind: ScopedKind): MemoryRecord {
  if (isLegacy(document)) {
    const row = legacyRecord(kind, document, legacyBase(document));
    if (row !== undefined) return row;
  }
  return {
    ...commonOf(document),
    kind,
    user_id: userOf(document["user_id"] ?? null),
    ...named("agent_id", document["agent_id"]),
    ...named("memory_id", document["memory_id"]),
    ...named("thread_id", document["thread_id"]),
    ...named("expires_at", document["expires_at"]),
  };
}

/** The record of a shared document. */
export function sharedRecord(document: Document, kind: SharedKind): SharedRecord {
  if (isLegacy(document)) {
    const row = legacyShared(kind, document, legacyBase(document));
    if (row !== undefined) return row;
  }
  return { ...commonOf(document), kind };
}

function commonOf(document: Document): Common {
  const embedding: unknown = document["embedding"];
  return {
    id: String(document["id"]),
    ...named("text", document["text"]),
    ...(Array.isArray(embedding) ? { embedding: embedding.map(Number) } : {}),
    data: dataOf(document),
    created_at: String(document["created_at"]),
    updated_at: String(document["updated_at"] ?? document["created_at"]),
    version: Number(document["version"] ?? 1),
  };
}

/** No tenant has this name, so a user that is no text matches none. */
function userOf(value: unknown): string | null {
  return value === null || typeof value === "string" ? value : "";
}

/** The payload; empty in a document that this package did not write. */
function dataOf({ data }: Document): { readonly [key: string]: Json } {
  if (typeof data !== "string") return {};
  try {
    const payload = JSON.parse(data) as { readonly [key: string]: Json } | null;
    return typeof payload === "object" ? (payload ?? {}) : {};
  } catch {
    return {};
  }
}

/** The id of a document without one whose `_id` is an empty text. */
export function legacyBase(document: Document): string {
  return `${typeOf(document["_id"])}:`;
}

/** The type of an `_id`, which distinguishes two with equal text, such as 7 and "7". */
export function typeOf(id: unknown): string {
  const { _bsontype: type } = (id ?? {}) as { readonly _bsontype?: string };
  return type?.toLowerCase() ?? typeof id;
}

/**
 * True for a document that this version did not write. One of an earlier version lacks the time by
 * which lists are sorted; a foreign one with a field of that name has other forms in the rest.
 */
function isLegacy(document: Document): boolean {
  const { id, data, created_key: key, created_at: at } = document;
  const isOurs = [id, data, key, at].every((field) => typeof field === "string");
  return !isOurs || timeKey(at as string) !== key;
}

/** Types other than text or absent that an index can seek. */
const otherTypes: readonly string[] = (
  "double int long decimal object array binData objectId " +
  "bool date regex timestamp symbol javascript"
).split(" ");

/** Documents of an earlier version, and others whose time key is invalid. */
export const legacyDocuments: Filter<Document> = {
  $or: [{ created_key: { $eq: null } }, { created_key: { $type: otherTypes } }],
};

function named<K extends string>(key: K, value: unknown): { readonly [P in K]?: string } {
  return (typeof value === "string" ? { [key]: value } : {}) as { readonly [P in K]?: string };
}

/**
 * The tenant of every statement; null also matches a legacy row without the field. An equality
 * also matches elements of a list, so a row with several users would belong to each.
 */
export function ofTenant(filter: TenantFilter): Filter<Document> {
  return { user_id: { $not: { $type: "array" }, $eq: filter.tenant } };
}

/** Rows of any tenant; a row whose user is empty or no text belongs to none. */
export const ofAnybody: Filter<Document> = {
  user_id: { $not: { $type: "array" } },
  $or: [{ user_id: { $eq: null } }, { user_id: { $gt: "" } }],
};

/** Rows without a valid tenant, by types that an index on `user_id` can seek. */
export const ofNobody: Filter<Document> = {
  $or: [{ user_id: { $eq: "" } }, { user_id: { $type: otherTypes } }],
};

/** The filter's tenant and its levels; values are only ever operands of `$eq`. */
export function insideDocument(filter: MemoryFilter): Filter<Document>[] {
  return [
    ofTenant(filter),
    ...levelsOf(filter).map(([field, value]) => ({ [field]: { $eq: value } })),
  ];
}

/** Milliseconds of a time. An invalid `now` hides every row that ever expires. */
export function endOf(now: string): number {
  const ms = Date.parse(now);
  return Number.isFinite(ms) ? ms : Number.MAX_SAFE_INTEGER;
}

/** Rows that have not expired. */
export function liveDocument(now: string): Filter<Document> {
  return { $or: [{ expires_ms: { $eq: null } }, { expires_ms: { $gt: endOf(now) } }] };
}

/** Order of every list: newest first, ties by the bytes of the id. */
export const listOrder = { created_key: -1, id: 1 } as const;
