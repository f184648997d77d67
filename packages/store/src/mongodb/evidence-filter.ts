/**
 * @module EvidenceFilter: conditions of a scope as filters. Values only ever stand behind an
 * operator of ours.
 */
import type { Document, Filter } from "mongodb";

import type { Condition } from "../search-condition.ts";

/** A text with a lone surrogate would become another on the wire, so it equals no document. */
const nothing: Filter<Document> = { _id: { $in: [] } };

/** The condition as a filter. */
export function conditionFilter(condition: Condition): Filter<Document> {
  if ("applicationId" in condition) {
    const { applicationId } = condition;
    return applicationId.isWellFormed() ? { application_id: { $eq: applicationId } } : nothing;
  }
  const { tenant } = condition;
  if (tenant?.isWellFormed() === false) return nothing;
  return { $and: [{ tenant_said: { $eq: true } }, { user_id: { $eq: tenant } }] };
}
