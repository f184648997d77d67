/**
 * @module Scope: the hierarchy user → agent → memory → thread and the two shapes of a tenant.
 * The user is the tenant boundary. Nothing here can say "everybody".
 */

/** Whose rows: a tenant, or null for the anonymous scope (requirements: Scope hierarchy 2, 3). */
export interface TenantFilter {
  readonly tenant: string | null;
}

/**
 * What an evidence event knows of its tenant (design 3.1): `user` carries a value, `anonymous` was
 * said so (or is a legacy row without one), `unattributed` means that nobody said.
 */
export type TenantState = "user" | "anonymous" | "unattributed";

/** The tenant state of an event's `user_id`: a string, null (anonymous) or absent (unattributed). */
export function tenantState(userId: string | null | undefined): TenantState {
  if (userId === undefined) return "unattributed";
  return userId === null ? "anonymous" : "user";
}

/** Where a memory read or write happens; every level below the tenant is optional. */
export interface MemoryScope extends TenantFilter {
  readonly agentId?: string;
  readonly memoryId?: string;
  readonly threadId?: string;
}
