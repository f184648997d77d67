/**
 * @module EvidenceFilter: conditions on searched fields as filters; the fields of a document are
 * called as they are. Values only ever stand behind an operator of ours.
 */
import type { Document, Filter } from "mongodb";

import type { Comparison, Condition } from "../search-condition.ts";
import { nanosKey } from "./nanos-key.ts";

/** The condition as a filter. */
export function conditionFilter(condition: Condition): Filter<Document> {
  const terms = condition.map(comparisonFilter);
  return terms.length === 1 ? (terms[0] ?? nothing) : { $or: terms };
}

/** A text with a lone surrogate would become another on the wire, so it equals no document. */
const nothing: Filter<Document> = { _id: { $in: [] } };

function comparisonFilter(comparison: Comparison): Filter<Document> {
  if ("tenant" in comparison) {
    const { tenant } = comparison;
    if (tenant?.isWellFormed() === false) return nothing;
    return { $and: [{ tenant_said: { $eq: true } }, { user_id: { $eq: tenant } }] };
  }
  if ("mentions" in comparison) {
    const { mentions } = comparison;
    return mentions.isWellFormed() ? { mentions: { $eq: mentions } } : nothing;
  }
  if ("evidence" in comparison) return { event_kind: { $ne: "span" } };
  if ("from" in comparison) return { event_key: { $gte: nanosKey(comparison.from) } };
  if ("to" in comparison) return { event_key: { $lte: nanosKey(comparison.to) } };
  const { field, is } = comparison;
  return is.isWellFormed() ? { [field]: { $eq: is } } : nothing;
}
