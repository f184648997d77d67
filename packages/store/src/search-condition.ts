/**
 * @module SearchCondition: what a read looks for, and its scope as conditions on rows that say
 * whose they are, before any database spells them. They let too much through, never too little.
 */
import type { EventQuery } from "@turnproof/evidence";

import { checkScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";

/** One comparison with one row. */
export type Condition =
  | { readonly applicationId: string }
  /** The row says this tenant: a user, or with null that it is anonymous. */
  | { readonly tenant: string | null };

/** What a read looks for. */
export interface Question {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  /** An id that shown events name. */
  readonly id?: string;
  /** True where roots of plain spans are not looked for. */
  readonly evidenceOnly?: boolean;
}

/** Conditions under which a row is in scope. @throws CodedError as `checkScope` */
export function scopeConditions(scope: EvidenceScope): readonly Condition[] {
  checkScope(scope);
  const applicationId = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  return [
    ...("operator" in scope ? [] : [{ tenant: scope.tenant }]),
    ...(applicationId === undefined ? [] : [{ applicationId }]),
  ];
}
