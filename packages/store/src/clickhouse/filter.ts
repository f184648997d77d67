/**
 * @module Filter: a query and a scope as SQL. What one row decides alone is a condition on rows;
 * identity may be inherited, so a filter on it becomes "some row of this root says so", which the
 * locate table knows by a hash, and is decided exactly after the root is settled. Both let too much
 * through, never too little.
 */
import { inheritedFields } from "@turnproof/evidence";
import type { EventQuery } from "@turnproof/evidence";

import type { EvidenceScope } from "../scope.ts";
import { clampedNanos, isTime } from "../time.ts";
import { identityTerm, rowTerms } from "./locate-terms.ts";
import { murmur32 } from "../bundle/murmur.ts";
import type { Bindings } from "./sql-text.ts";

/** A query in a scope, ready for the engine. */
export interface Filters {
  readonly rows: readonly string[];
  /** Of the conditions on rows those on their own time; the tables are ordered by receipt. */
  readonly times: readonly string[];
  /** Hashes of what the rows must say: those that lead to roots, and all of them. */
  readonly fineHashes: readonly number[];
  readonly rowHashes: readonly number[];
  /** Hashes of ids that few roots name by their nature, so that nobody need ask how many. */
  readonly sureHashes: readonly number[];
  /** Hashes of what some row of the root must say. */
  readonly rootHashes: readonly number[];
  /** True when nearly every root has what is wanted: then time alone leads. */
  readonly open: boolean;
  /** True when hashes of whole roots say everything: no time, and nothing that nearly all say. */
  readonly byRoots: boolean;
}

/**
 * The tenant filter as hashes that some row of the root must say; replaced only by tests that prove
 * the suite would notice.
 */
export type ScopeFilter = (scope: EvidenceScope) => number[];

/** Rows outside of these are of no root that the scope may see (design 5.1). */
export const scopeFilter: ScopeFilter = (scope) => {
  const applicationId = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  return [
    ...("operator" in scope ? [] : [murmur32(identityTerm("user_id", scope.tenant))]),
    ...(applicationId === undefined
      ? []
      : [murmur32(identityTerm("application_id", applicationId))]),
  ];
};

/** The filters of a query. */
export function filtersOf(query: EventQuery, bind: Bindings): Filters {
  const rootHashes = inheritedFields.flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [murmur32(identityTerm(field, value))];
  });
  const sure = [query.thread_id, query.run_id, query.turn_id, query.task_id, query.resource_ref];
  const sureHashes = [query.root_trace_id, ...sure].flatMap((id) =>
    id === undefined ? [] : [murmur32(id)],
  );
  const { fine, coarse } = rowTerms(query);
  const fineHashes = fine.map(murmur32);
  const rowHashes = [...fineHashes, ...coarse.map(murmur32)];
  const timed = query.start_time !== undefined || query.end_time !== undefined;
  const usual = query.store === undefined || query.store === "trace" || query.store === "all";
  const byRoots = rowHashes.length === fineHashes.length && !timed && usual;
  const open = rootHashes.length === 0 && rowHashes.length === 0 && byRoots;
  const times = timeConditions(query);
  const rows = [...rowConditions(query, bind), ...times];
  return { rows, times, fineHashes, rowHashes, sureHashes, rootHashes, open, byRoots };
}

function rowConditions(query: EventQuery, bind: Bindings): string[] {
  const rows: string[] = [];
  const store = query.store ?? "trace";
  if (store === "trace") rows.push("source_store IN ('', 'trace')");
  else if (store !== "all") rows.push(`source_store = ${bind.text(store)}`);
  for (const field of ["root_trace_id", "task_id", "event_kind", "status", "tool_name"] as const) {
    const value = query[field];
    if (value !== undefined) rows.push(`${field} = ${bind.text(value)}`);
  }
  if (query.resource_ref !== undefined) {
    const ref = bind.text(query.resource_ref);
    rows.push(`(has(input_refs, ${ref}) OR has(output_refs, ${ref}) OR has(ledger_refs, ${ref}))`);
  }
  return rows;
}

function timeConditions({ start_time, end_time }: EventQuery): string[] {
  return [
    ...(isTime(start_time) ? [`timestamp >= ${nanosSql(start_time)}`] : []),
    // The column is clamped, so an end beyond its range still lets its last value through.
    ...(isTime(end_time) ? [`timestamp <= ${nanosSql(end_time)}`] : []),
  ];
}

function nanosSql(time: string): string {
  return `fromUnixTimestamp64Nano(toInt64(${clampedNanos(time)}))`;
}
