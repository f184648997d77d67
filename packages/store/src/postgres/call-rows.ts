/** @module CallRows: the calls of a turn as rows of PostgreSQL, `call`. */
import { usageSql } from "../ledger/call-usage.ts";

/** The rows of the column `calls`. */
export const callRows = `jsonb_to_recordset(calls) AS call(
  kind text, name text COLLATE "C", provider text COLLATE "C", outcome text, error_type text,
  service_tier text, duration_ms double precision, input_tokens double precision,
  output_tokens double precision, cached_tokens double precision,
  cache_write_tokens double precision, reasoning_tokens double precision)`;

/** Step of the input and known counts of such a row. */
export function callUsageSql(steps: readonly number[]): ReturnType<typeof usageSql> {
  return usageSql((field) => `call.${field}`, steps);
}
