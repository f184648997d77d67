/**
 * @module Place: tenant, level and recording turn of a memory operation. Every operation of this
 * package takes one first, and none can express "all users" (requirements: Scope hierarchy 1 to
 * 3).
 */
import type { Turn } from "@turnproof/instrumentation";
import { attribute, CodedError, knownIdentity } from "@turnproof/semconv";
import type { AttributeRow, OptionalIdentity } from "@turnproof/semconv";
import type { MemoryFilter } from "@turnproof/store";

/** The part of a turn that memory records into; without a turn no memory evidence is written. */
export type MemoryRecorder = Pick<
  Turn,
  | "memoryOperation"
  | "retrieved"
  | "selected"
  | "supplied"
  | "referenced"
  | "cacheDecided"
  | "learned"
>;

/**
 * A place in the hierarchy user → agent → memory → thread. A missing, undefined or null `userId`
 * means the anonymous rows alone; an empty string is an error, never a wider read.
 */
export interface MemoryPlace extends OptionalIdentity<"userId" | Level> {
  /** The turn that records the operation. */
  readonly turn?: MemoryRecorder | undefined;
}

/** Levels below the tenant. */
export type Level = keyof Omit<MemoryFilter, "tenant">;

/**
 * Rows that validate the ids of a place: a keyed field is stored as its fingerprint (vocabulary:
 * Identity).
 */
const rowOf: Readonly<Record<Level | "userId", AttributeRow>> = {
  userId: attribute.user_id,
  agentId: attribute.agent_id,
  memoryId: attribute.memory_id,
  threadId: attribute.thread_id,
};

/** The level's id as it is stored, or null. */
export function levelOf(place: MemoryPlace, level: Level): string | null {
  return idOf((place as MemoryPlace | undefined)?.[level] ?? null, level);
}

/**
 * The filter of a place, cut to the levels that a kind has. A level that the place leaves out does
 * not filter, unless it is one of `exact`: then only rows without it pass.
 * @throws CodedError identity_missing (no place), identity_empty (an empty id), record_invalid
 */
export function filterOf(
  place: MemoryPlace,
  levels: readonly Level[],
  exact: readonly Level[] = [],
): MemoryFilter {
  if (typeof place !== "object" || place === null) {
    throw new CodedError("identity_missing", { field: "userId" });
  }
  const tenant = idOf(place.userId ?? null, "userId");
  const filter: { -readonly [F in keyof MemoryFilter]: MemoryFilter[F] } = { tenant };
  for (const level of levels) {
    const value = levelOf(place, level);
    if (value !== null || exact.includes(level)) filter[level] = value;
  }
  return filter;
}

/** Callers without types can pass any value, so the type is checked here too. */
function idOf(value: unknown, field: Level | "userId"): string | null {
  if (value === null) return null;
  if (value === "") throw new CodedError("identity_empty", { field });
  if (typeof value !== "string") throw new CodedError("record_invalid", { field });
  return knownIdentity(rowOf[field], value);
}

/**
 * The level's id, for kinds that require it.
 * @throws CodedError identity_missing
 */
export function required(place: MemoryPlace, level: Level): string {
  const value = levelOf(place, level);
  if (value === null) throw new CodedError("identity_missing", { field: level });
  return value;
}

/** The name of a filter's scope in evidence. */
export function scopeWord(filter: MemoryFilter): "user" | "anonymous" {
  return filter.tenant === null ? "anonymous" : "user";
}
