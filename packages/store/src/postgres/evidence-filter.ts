/** @module EvidenceFilter: conditions of a scope as SQL. Every value is a parameter. */
import type { Condition } from "../search-condition.ts";
import type { Bindings } from "./sql-text.ts";

/** The condition; a value that no row can hold equals no row. */
export function conditionSql(condition: Condition, bind: Bindings): string {
  if ("applicationId" in condition) {
    const { applicationId } = condition;
    return applicationId.isWellFormed() ? `application_id = ${bind.text(applicationId)}` : "false";
  }
  const { tenant } = condition;
  if (tenant === null) return "tenant_said AND user_id IS NULL";
  return tenant.isWellFormed() ? `tenant_said AND user_id = ${bind.text(tenant)}` : "false";
}
