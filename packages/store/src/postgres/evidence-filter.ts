/**
 * @module EvidenceFilter: conditions on searched fields as SQL; the columns are called as the
 * fields are. Every value is a parameter.
 */
import type { Comparison, Condition } from "../search-condition.ts";
import type { Bindings } from "./sql-text.ts";

/** The condition; a value that no row can hold equals no row. */
export function conditionSql(condition: Condition, bind: Bindings): string {
  const terms = condition.map((comparison) => comparisonSql(comparison, bind));
  return terms.length === 1 ? (terms[0] ?? "false") : `(${terms.join(" OR ")})`;
}

function comparisonSql(comparison: Comparison, bind: Bindings): string {
  if ("tenant" in comparison) {
    const { tenant } = comparison;
    if (tenant === null) return "tenant_said AND user_id IS NULL";
    return tenant.isWellFormed() ? `tenant_said AND user_id = ${bind.text(tenant)}` : "false";
  }
  if ("mentions" in comparison) {
    const { mentions } = comparison;
    return mentions.isWellFormed() ? `mentions @> ARRAY[${bind.text(mentions)}]` : "false";
  }
  if ("evidence" in comparison) return "event_kind <> 'span'";
  if ("from" in comparison) return `event_ns >= ${nanosSql(comparison.from, bind)}`;
  if ("to" in comparison) return `event_ns <= ${nanosSql(comparison.to, bind)}`;
  const { field, is } = comparison;
  return is.isWellFormed() ? `${field} = ${bind.text(is)}` : "false";
}

function nanosSql(nanos: bigint, bind: Bindings): string {
  return `${bind.plain(String(nanos))}::bigint`;
}
