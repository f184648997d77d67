/**
 * @module Place: whose memory, at which level, and which turn watches. Every operation of this
 * package takes one first; none of them can say "everybody" (requirements: Scope hierarchy 1 to 3).
 */
import type { Turn } from "@turnproof/instrumentation";
import { CodedError } from "@turnproof/semconv";
import type { MemoryFilter } from "@turnproof/store";

/** The part of a turn that memory reports to; without one, nothing of it becomes evidence. */
export type MemoryWitness = Pick<
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
 * means the anonymous rows and nothing else; an empty string is an error, never a wider read.
 */
export interface MemoryPlace {
  readonly userId?: string | null | undefined;
  readonly agentId?: string | undefined;
  readonly memoryId?: string | undefined;
  readonly threadId?: string | undefined;
  /** The turn that this happens in. */
  readonly turn?: MemoryWitness | undefined;
}

/** Levels below the tenant. */
export type Level = "agentId" | "memoryId" | "threadId";

/**
 * The filter of a place, cut to the levels that a kind knows.
 * @throws CodedError identity_missing (no place), identity_empty (an empty id), record_invalid
 */
export function filterOf(place: MemoryPlace, levels: readonly Level[]): MemoryFilter {
  if (typeof place !== "object" || place === null) {
    throw new CodedError("identity_missing", { field: "userId" });
  }
  const tenant = idOf(place.userId ?? null, "userId");
  const filter: { tenant: string | null; agentId?: string; memoryId?: string; threadId?: string } =
    { tenant };
  for (const level of levels) {
    const value = idOf(place[level] ?? null, level);
    if (value !== null) filter[level] = value;
  }
  return filter;
}

/** What a host that has no types may have passed is judged here as well. */
function idOf(value: unknown, field: string): string | null {
  if (value === null) return null;
  if (value === "") throw new CodedError("identity_empty", { field });
  if (typeof value !== "string") throw new CodedError("record_invalid", { field });
  return value;
}

/**
 * The level's id, for kinds that are nothing without it.
 * @throws CodedError identity_missing
 */
export function required(place: MemoryPlace, level: Level): string {
  const value = idOf((place as MemoryPlace | undefined)?.[level] ?? null, level);
  if (value === null) throw new CodedError("identity_missing", { field: level });
  return value;
}

/** The word by which evidence names the scope of a filter. */
export function scopeWord(filter: MemoryFilter): "user" | "anonymous" {
  return filter.tenant === null ? "anonymous" : "user";
}
