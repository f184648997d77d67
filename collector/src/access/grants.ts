/**
 * @module Grants: from a principal to the scope of its reads, and a query narrowed to it. The only
 * place outside tests that issues an operator's grant (design 5.1).
 */
import type { EventQuery } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { issueOperatorGrant } from "@turnproof/store";
import type { EvidenceScope } from "@turnproof/store";

import type { Principal } from "./principal.ts";

/** The widest scope of a principal: its tenant, or a grant for one that is bound to nobody. */
function scopeOf(principal: Principal): EvidenceScope {
  const { applicationId, userId } = principal;
  const application = applicationId === undefined ? {} : { applicationId };
  if (userId !== undefined) return { tenant: userId, ...application };
  return { operator: issueOperatorGrant(application) };
}

/** What a request may read: its scope, and its filters inside it. */
export interface Reading {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
}

/**
 * Narrows a query to the principal: a filter can take away and never add.
 *
 * @throws CodedError `scope_forbidden` for another tenant or application than its own
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

/** A text that names a scope exactly, for what must not be carried from one scope to another. */
export function scopeKey(principal: Principal): string {
  const { name, role, applicationId, userId } = principal;
  const tenant = userId === undefined ? ["*"] : userId === null ? ["anonymous"] : ["user", userId];
  return JSON.stringify([name, role, applicationId ?? null, tenant]);
}

/**
 * The scope of the collector's own questions, whose answers are counts and verdicts: losses that
 * producers report, and the turns that the background judge looks at. Never handed to a route.
 */
export function collectorScope(): EvidenceScope {
  return { operator: issueOperatorGrant() };
}
