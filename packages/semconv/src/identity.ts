/**
 * @module Identity: the fields by which evidence and memory belong to an application, an agent, a
 * user, a memory, a thread, a run, a turn and a root. Every record, query, option and answer takes
 * its identity fields from here; a tidy test refuses a second declaration. No type here can express
 * "all users".
 */

/** Names of the identity fields as records and JSON have them, in the order of the hierarchy. */
export const identityFields = [
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "root_trace_id",
] as const;

/** The name of an identity field. */
export type IdentityField = (typeof identityFields)[number];

/** Id of a user, who is the tenant. */
export type UserId = string;

/**
 * The identity fields. `user_id` is the tenant, null for anonymous; in a record an absent one means
 * unattributed, and another absent field means not recorded.
 */
export type Identity = {
  readonly [Name in IdentityField]: Name extends "user_id" ? UserId | null : string;
};

/** These fields of an identity; null where they are not recorded. */
export type NullableIdentity<Field extends IdentityField> = {
  readonly [Name in Field]: Identity[Name] | null;
};

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The same fields as options of functions have them: `agentId`, `userId`. */
export type IdentityOptions = {
  readonly [Name in IdentityField as CamelCase<Name>]: Identity[Name];
};

/** The name of such an option. */
export type IdentityOption = keyof IdentityOptions;

/** Options of which each may be left out or undefined. */
export type OptionalIdentity<Option extends IdentityOption> = {
  readonly [Name in Option]?: IdentityOptions[Name] | undefined;
};

/** The tenant of rows, or null for the anonymous scope (requirements: Scope hierarchy 2, 3). */
export interface TenantFilter {
  readonly tenant: Identity["user_id"];
}

/**
 * The tenant state of an evidence event (vocabulary: Identity): `user` has a value, `anonymous` was
 * recorded as such (or is a legacy row without a value), `unattributed` means not recorded.
 */
export type TenantState = "user" | "anonymous" | "unattributed";

/**
 * The tenant state of an event's `user_id`: a string, null (anonymous) or absent (unattributed).
 */
export function tenantState(userId: Identity["user_id"] | undefined): TenantState {
  if (userId === undefined) return "unattributed";
  return userId === null ? "anonymous" : "user";
}

/** The scope of a memory read or write; every level below the tenant is optional. */
export interface MemoryScope
  extends TenantFilter, Partial<Pick<IdentityOptions, "agentId" | "memoryId" | "threadId">> {}
