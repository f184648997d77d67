/**
 * @module MemoryCondition: the filter of every statement over scoped memory (requirements: Provider
 * scoping). The tenant is compared by IS NOT DISTINCT FROM, which no index supports, so a
 * comparison of its digest is added.
 */
import { levelsOf } from "../memory/record-rules.ts";
import type { MemoryFilter } from "../memory-store.ts";
import type { Bindings } from "./sql-text.ts";

/** Digest of a tenant, tenant first in every key; the same expression as in the indexes. */
export function tenantDigest(sql: string): string {
  return `md5(coalesce('u' || ${sql}, 'a'))`;
}

/** Rows of the filter's tenant, NULL equal to NULL only. */
export function ofTenant(filter: MemoryFilter, bind: Bindings): string {
  const tenant = bind.text(filter.tenant);
  return `${tenantDigest("user_id")} = ${tenantDigest(tenant)}
    AND user_id IS NOT DISTINCT FROM ${tenant}`;
}

/** The filter's tenant and its levels. */
export function insideSql(filter: MemoryFilter, bind: Bindings): string {
  return [
    ofTenant(filter, bind),
    ...levelsOf(filter).map(([column, value]) =>
      value === null ? `${column} IS NULL` : `${column} = ${bind.text(value)}`,
    ),
  ].join("\n    AND ");
}

/** Rows that have not expired. An invalid `now` hides every row that ever expires. */
export function liveSql(now: string, bind: Bindings): string {
  const ms = Date.parse(now);
  const at = bind.plain(Number.isFinite(ms) ? String(ms) : "9223372036854775807");
  return `(expires_ms IS NULL OR expires_ms > ${at}::bigint)`;
}

/** Rows with this id; text that a column cannot store matches no row. */
export function idSql(id: string, bind: Bindings): string {
  if (typeof id !== "string" || !id.isWellFormed()) return "false";
  const value = bind.text(id);
  return `md5(id) = md5(${value}) AND id = ${value}`;
}
