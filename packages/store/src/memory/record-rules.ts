/**
 * @module Rules of a memory row that every provider applies before it writes (storage: Scopes): its
 * tenant, its form, its expiry.
 */
import { CodedError, scopedKinds, sharedKinds } from "@turnproof/semconv";
import type { ScopedKind, SharedKind, TenantFilter } from "@turnproof/semconv";

import type { MemoryDraft, MemoryFilter, MemoryRecord, SharedRecord } from "../memory-store.ts";
import type { LegacyScope } from "../memory-admin.ts";

const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/**
 * Refuses a filter that is not exactly one tenant.
 * @throws CodedError identity_missing (no tenant), identity_empty, record_invalid
 */
export function checkFilter(filter: MemoryFilter): void {
  // Spreading undefined must not widen a read: only a string or null is a tenant.
  const tenant: unknown = (filter as MemoryFilter | undefined)?.tenant;
  if (tenant === undefined) throw new CodedError("identity_missing", { field: "tenant" });
  if (tenant === "") throw new CodedError("identity_empty", { field: "tenant" });
  if (tenant !== null && !isText(tenant)) {
    throw new CodedError("record_invalid", { field: "tenant" });
  }
  for (const field of ["agentId", "memoryId", "threadId"] as const) {
    const value: unknown = filter[field];
    if (value === "") throw new CodedError("identity_empty", { field });
    if (value !== undefined && value !== null && !isText(value))
      throw new CodedError("record_invalid", { field });
  }
}

/** In UTF-8 two texts with a lone surrogate would become equal, and so would two tenants. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

/**
 * Refuses a legacy scope that is not one exact memory, and a target that is not one user.
 * @throws CodedError identity_missing, identity_empty, record_invalid
 */
export function checkLegacyScope(scope: LegacyScope): void {
  for (const field of ["memoryId", "userId"] as const) {
    const value: unknown = scope[field];
    if (value === undefined || value === null) throw new CodedError("identity_missing", { field });
    if (value === "") throw new CodedError("identity_empty", { field });
    if (!isText(value)) throw new CodedError("record_invalid", { field });
  }
}

/** @throws CodedError record_invalid for a kind that is not a scoped one */
export function checkScopedKind(kind: string): asserts kind is ScopedKind {
  if (!(scopedKinds as readonly string[]).includes(kind)) {
    throw new CodedError("record_invalid", { field: "kind" });
  }
}

/** @throws CodedError record_invalid for a kind that is not a shared one */
export function checkSharedKind(kind: string): asserts kind is SharedKind {
  if (!(sharedKinds as readonly string[]).includes(kind)) {
    throw new CodedError("record_invalid", { field: "kind" });
  }
}

function checkLevel(
  field: string,
  filtered: string | null | undefined,
  given: string | undefined,
): void {
  if (filtered !== undefined && given !== undefined && filtered !== given) {
    throw new CodedError("record_invalid", { field });
  }
}

type Draft = Pick<MemoryDraft, "id" | "text" | "embedding" | "created_at" | "expires_at">;

/** Rules for rows of scoped and of shared kinds. */
function checkDraft(draft: Draft): void {
  if (draft.id === "") throw new CodedError("identity_empty", { field: "id" });
  if (!isText(draft.id)) throw new CodedError("record_invalid", { field: "id" });
  if (draft.text !== undefined && !isText(draft.text)) {
    throw new CodedError("record_invalid", { field: "text" });
  }
  for (const field of ["created_at", "expires_at"] as const) {
    const value = draft[field];
    if (value !== undefined && !(isoUtc.test(value) && Number.isFinite(Date.parse(value)))) {
      throw new CodedError("record_invalid", { field });
    }
  }
  if (draft.embedding?.some((n) => !Number.isFinite(n)) === true) {
    throw new CodedError("record_invalid", { field: "embedding" });
  }
}

/**
 * The row of a shared kind for a draft.
 * @throws CodedError record_invalid, identity_empty
 */
export function sharedRecordOf(
  kind: SharedKind,
  draft: Pick<SharedRecord, "id" | "data" | "created_at" | "text" | "embedding">,
  written: { readonly now: string; readonly version: number },
): SharedRecord {
  checkSharedKind(kind);
  checkDraft(draft);
  return {
    id: draft.id,
    kind,
    ...(draft.text === undefined ? {} : { text: draft.text }),
    ...(draft.embedding === undefined ? {} : { embedding: [...draft.embedding] }),
    data: structuredClone(draft.data),
    created_at: draft.created_at,
    updated_at: written.now,
    version: written.version,
  };
}

/**
 * The row for a draft inside a filter: the filter's tenant, and its levels where the draft has
 * none. A draft with another level than the filter is refused.
 * @throws CodedError record_invalid, identity_empty
 */
export function recordOf(
  filter: MemoryFilter,
  kind: ScopedKind,
  draft: MemoryDraft,
  written: { readonly now: string; readonly version: number },
): MemoryRecord {
  checkDraft(draft);
  checkFilter({
    tenant: filter.tenant,
    ...(draft.agent_id === undefined ? {} : { agentId: draft.agent_id }),
    ...(draft.memory_id === undefined ? {} : { memoryId: draft.memory_id }),
    ...(draft.thread_id === undefined ? {} : { threadId: draft.thread_id }),
  });
  checkLevel("agent_id", filter.agentId, draft.agent_id);
  checkLevel("memory_id", filter.memoryId, draft.memory_id);
  checkLevel("thread_id", filter.threadId, draft.thread_id);
  const agent = draft.agent_id ?? filter.agentId ?? undefined;
  const memory = draft.memory_id ?? filter.memoryId ?? undefined;
  const thread = draft.thread_id ?? filter.threadId ?? undefined;
  return {
    id: draft.id,
    kind,
    user_id: filter.tenant,
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(memory === undefined ? {} : { memory_id: memory }),
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(draft.text === undefined ? {} : { text: draft.text }),
    ...(draft.embedding === undefined ? {} : { embedding: [...draft.embedding] }),
    data: structuredClone(draft.data),
    created_at: draft.created_at,
    ...(draft.expires_at === undefined ? {} : { expires_at: draft.expires_at }),
    updated_at: written.now,
    version: written.version,
  };
}

/**
 * A changed record for the row of this tenant and id, copied.
 * @throws CodedError record_invalid for a record of another tenant, kind or id
 */
export function checkedChange(
  filter: TenantFilter,
  kind: ScopedKind,
  id: string,
  record: MemoryRecord,
): MemoryRecord {
  if (record.user_id !== filter.tenant || record.kind !== kind || record.id !== id) {
    throw new CodedError("record_invalid", { field: "record" });
  }
  const { updated_at: now, version } = record;
  return recordOf(filter, kind, record, { now, version });
}

/** True when the row matches the filter: exactly its tenant, null equal to null only. */
export function insideFilter(record: MemoryRecord, filter: MemoryFilter): boolean {
  return (
    record.user_id === filter.tenant &&
    levelsOf(filter).every(([field, value]) => (record[field] ?? null) === value)
  );
}

/** The filter's levels, by the fields of a row that must equal them; null: absent. */
export function levelsOf(
  filter: MemoryFilter,
): (readonly [field: "agent_id" | "memory_id" | "thread_id", value: string | null])[] {
  const levels = [
    ["agent_id", filter.agentId],
    ["memory_id", filter.memoryId],
    ["thread_id", filter.threadId],
  ] as const;
  return levels.flatMap(([field, value]) => (value === undefined ? [] : [[field, value] as const]));
}

/** True until the row expires. */
export function isLive(record: Pick<MemoryRecord, "expires_at">, now: string): boolean {
  return record.expires_at === undefined || Date.parse(record.expires_at) > Date.parse(now);
}
