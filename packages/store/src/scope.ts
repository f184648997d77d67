/**
 * @module Scope of evidence reads (storage: Scopes): a tenant, or an operator's grant. Neither has
 * a default, and a grant cannot be written as a literal: only `issueOperatorGrant`, called by the
 * collector's auth (enforced by a tidy test), creates one.
 */
import { CodedError } from "@turnproof/semconv";
import type { Identity, IdentityOptions, TenantFilter } from "@turnproof/semconv";

const grant: unique symbol = Symbol("operator-grant");

/** Proof that an authenticated principal without a tenant made the request. */
export interface OperatorGrant {
  readonly [grant]: true;
  /** Narrows to one application, for a principal of one application. */
  readonly applicationId: IdentityOptions["applicationId"] | undefined;
}

/** Scope of a read: rows of one tenant (null: anonymous rows), or all rows under a grant. */
export type EvidenceScope =
  | (TenantFilter & Partial<Pick<IdentityOptions, "applicationId">>)
  | { readonly operator: OperatorGrant };

/** Called only by `collector/src/access/`, for a principal without a tenant. */
export function issueOperatorGrant(
  options: Partial<Pick<IdentityOptions, "applicationId">> = {},
): OperatorGrant {
  return Object.freeze({ [grant]: true as const, applicationId: options.applicationId });
}

/**
 * Refuses an invalid scope. A missing tenant would otherwise equal that of unattributed rows,
 * which only an operator may read (vocabulary: Identity).
 * @throws CodedError identity_missing, record_invalid
 */
export function checkScope(scope: EvidenceScope): void {
  const given = scope as { readonly tenant?: unknown } | null | undefined;
  if (typeof given !== "object" || given === null) {
    throw new CodedError("record_invalid", { field: "scope" });
  }
  if ("operator" in given) return;
  if (given.tenant === undefined) throw new CodedError("identity_missing", { field: "tenant" });
  if (!isTenant(given.tenant)) throw new CodedError("record_invalid", { field: "tenant" });
}

/** True for a scope whose grant was issued by {@link issueOperatorGrant}. */
export function isGranted(scope: EvidenceScope): boolean {
  return "operator" in scope && scope.operator[grant] === true;
}

function isTenant(tenant: unknown): tenant is string | null {
  return tenant === null || typeof tenant === "string";
}

/** The application that a scope is narrowed to; undefined for every application. */
export function applicationOf(scope: EvidenceScope): string | undefined {
  return "operator" in scope ? scope.operator.applicationId : scope.applicationId;
}

/** True when an event with this resolved identity is inside the scope. */
export function inScope(
  event: Partial<Pick<Identity, "user_id" | "application_id">>,
  scope: EvidenceScope,
): boolean {
  const applicationId = applicationOf(scope);
  if (applicationId !== undefined && event.application_id !== applicationId) return false;
  if ("operator" in scope) return isGranted(scope);
  // Checked again for a scope from code without types.
  return isTenant(scope.tenant) && event.user_id === scope.tenant;
}
