/**
 * @module Grants: the scope of a principal's reads, and a query narrowed to it. The only place
 * outside tests that issues an operator's grant (storage: Scopes).
 */
import type { EventQuery } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { issueOperatorGrant } from "@turnproof/store";
import type { EvidenceScope } from "@turnproof/store";

import type { Principal } from "./principal.ts";

/** The widest scope of a principal: its tenant, or a grant for an unbound one. */
function scopeOf(principal: Principal): EvidenceScope {
  const { applicationId, userId } = principal;
  const application = applicationId === undefined ? {} : { applicationId };
  if (userId !== undefined) return { tenant: userId, ...application };
  return { operator: issueOperatorGrant(application) };
}

/** What a request may read: its scope, and its filters inside of it. */
export interface Reading {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  /** Relative times of the request count back from here, epoch milliseconds; default now. */
  readonly atMs?: number;
}

/**
 * Narrows a query to the principal: a filter can only narrow.
 *
 * @throws CodedError `scope_forbidden` for another tenant or application than the principal's own
 */
export function readingOf(principal: Principal, query: EventQuery): Reading {
  const { applicationId, userId } = principal;
  if (userId !== undefined && query.user_id !== undefined && query.user_id !== userId) {
    throw new CodedError("scope_forbidden", { field: "user_id" });
  }
  if (
    applicationId !== undefined &&
    query.application_id !== undefined &&
    query.application_id !== applicationId
  ) {
    throw new CodedError("scope_forbidden", { field: "application_id" });
  }
  return { scope: scopeOf(principal), query };
}

/** A text that identifies a scope exactly, for values that must not be shared between scopes. */
export function scopeKey(principal: Principal): string {
  const { name, role, applicationId, userId } = principal;
  const tenant = userId === undefined ? ["*"] : userId === null ? ["anonymous"] : ["user", userId];
  return JSON.stringify([name, role, applicationId ?? null, tenant]);
}

/**
 * The scope of the collector's own reads, whose results are counts and verdicts: losses that
 * producers report, and the turns for the background judge. Never passed to a route.
 */
export function collectorScope(): EvidenceScope {
  return { operator: issueOperatorGrant() };
}
