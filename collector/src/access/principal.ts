/**
 * @module Principal: the authenticated caller with its role and binding (security: Principals). A
 * role is a set of permissions; a route requires one permission; nothing else decides.
 */
import type { IdentityOptions } from "@turnproof/semconv";

/** Roles from least to most privileged. */
export const roles = ["viewer", "analyst", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

/** Permissions that a route can require. */
export type Permission =
  | "trace.read"
  | "artifact.lookup"
  | "replay.create"
  | "view.share"
  | "account.resolve"
  | "recommendation.review"
  | "outcome.write"
  | "note.write"
  | "alert.manage"
  | "agent.run"
  | "trace.reveal"
  | "trace.write";

const viewer: readonly Permission[] = ["trace.read"];
const analyst: readonly Permission[] = [
  ...viewer,
  "artifact.lookup",
  "replay.create",
  "view.share",
];
const operator: readonly Permission[] = [
  ...analyst,
  "account.resolve",
  "recommendation.review",
  "outcome.write",
  "note.write",
  "alert.manage",
  "agent.run",
];
const admin: readonly Permission[] = [...operator, "trace.reveal", "trace.write"];

/** The permissions of each role. */
export const rolePermissions: { readonly [R in Role]: readonly Permission[] } = {
  viewer,
  analyst,
  operator,
  admin,
};

/** An authenticated caller. */
export interface Principal {
  readonly name: string;
  readonly role: Role;
  /**
   * How it was authenticated: loopback without a credential, a Bearer token, or a session cookie.
   */
  readonly via: "loopback" | "bearer" | "session";
  /** Bound to one application's evidence, when set. */
  readonly applicationId?: IdentityOptions["applicationId"];
  /** Bound to a tenant (null: the anonymous rows); absent: unbound. */
  readonly userId?: IdentityOptions["userId"];
}

/** True when the principal is bound to a tenant or to the anonymous rows. */
export function isBound(principal: Principal): boolean {
  return principal.userId !== undefined;
}

/**
 * True when the principal can read only a part of the evidence: a tenant's or an application's.
 */
export function isNarrowed(principal: Principal): boolean {
  return isBound(principal) || principal.applicationId !== undefined;
}

/** True when the principal's role has the permission. */
export function permits(principal: Principal, permission: Permission): boolean {
  return rolePermissions[principal.role].includes(permission);
}
