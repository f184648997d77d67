/**
 * @module HeldUsage: usage of a call as SQL of SQLite. Its rarer counts are in the record of its
 * turn, `held`, at the place of the call, `calls`.
 */
import { usageSql } from "../ledger/call-usage.ts";
import type { UsageField } from "../ledger/call-usage.ts";

/** The join that the other expressions need. */
export const heldJoin = "JOIN turn_records held ON held.id = calls.turn";

const rare: ReadonlySet<string> = new Set(["cache_write_tokens", "reasoning_tokens"]);

function heldSql(name: string): string {
  return `json_extract(held.record, '$.calls[' || calls.place || '].${name}')`;
}

/** Service tier; null is unknown. */
export const tierSql: string = `nullif(${heldSql("service_tier")}, '')`;

/** Step of the input and known counts. */
export function heldUsageSql(steps: readonly number[]): ReturnType<typeof usageSql> {
  const column = (field: UsageField): string =>
    rare.has(field) ? heldSql(field) : `calls.${field}`;
  return usageSql(column, steps);
}

/** The rarer counts by their names. */
export const rareColumns: readonly string[] = [...rare].map(
  (name) => `${heldSql(name)} AS ${name}`,
);
