/**
 * @module Scope: the hierarchy user → agent → memory → thread and the two shapes of a tenant. The
 * user is the tenant boundary. No type here can express "all users".
 */

/** The tenant of rows, or null for the anonymous scope (requirements: Scope hierarchy 2, 3). */
export interface TenantFilter {
  readonly tenant: string | null;
}

/**
 * The tenant state of an evidence event (vocabulary: Identity): `user` has a value, `anonymous` was
 * recorded as such (or is a legacy row without a value), `unattributed` means not recorded.
 */
export type TenantState = "user" | "anonymous" | "unattributed";

/**
 * The tenant state of an event's `user_id`: a string, null (anonymous) or absent (unattributed).
 */
export function tenantState(userId: string | null | undefined): TenantState {
  if (userId === undefined) return "unattributed";
  return userId === null ? "anonymous" : "user";
}

/** The scope of a memory read or write; every level below the tenant is optional. */
export interface MemoryScope extends TenantFilter {
  readonly agentId?: string;
  readonly memoryId?: string;
  readonly threadId?: string;
}
