/**
 * @module Filter: a query and a scope as SQL. What one row decides alone is a condition on rows;
 * identity may be inherited, so a filter on it becomes "some row of this root says so" and is
 * decided exactly after the root is settled. Both let too much through, never too little.
 */
import type { EventQuery } from "@turnproof/evidence";

import { mentionedAttributes, mentionedFields } from "../mention.ts";
import type { EvidenceScope } from "../scope.ts";
import { clampedNanos, epochSeconds } from "../time.ts";
import { identityTerm, rowTerms } from "./locate-terms.ts";
import { murmur32 } from "./murmur.ts";
import type { Bindings } from "./sql-text.ts";

/** Something that some row of a root must say. */
export interface RootFilter {
  readonly condition: string;
  /** Hash under which the locate table knows the rows that say it. */
  readonly hash: number;
}

/** A query in a scope, ready for the engine. */
export interface Filters {
  readonly rows: readonly string[];
  /** Hashes of what the rows must say: those that lead to roots, and all of them. */
  readonly fineHashes: readonly number[];
  readonly rowHashes: readonly number[];
  readonly roots: readonly RootFilter[];
  /** True when nearly every root has what is wanted: then time alone leads. */
  readonly open: boolean;
}

/** The tenant filter as root filters; replaced only by tests that prove the suite would notice. */
export type ScopeFilter = (scope: EvidenceScope, bind: Bindings) => RootFilter[];

/** Rows outside of these are of no root that the scope may see (design 5.1). */
export const scopeFilter: ScopeFilter = (scope, bind) => {
  const applicationId = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  return [
    ...("operator" in scope ? [] : [rootFilter("user_id", scope.tenant, bind)]),
    ...(applicationId === undefined ? [] : [rootFilter("application_id", applicationId, bind)]),
  ];
};

const rootFields = [
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
] as const;

/** The filters of a query. */
export function filtersOf(query: EventQuery, bind: Bindings): Filters {
  const roots = rootFields.flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [rootFilter(field, value, bind)];
  });
  const { fine, coarse } = rowTerms(query);
  const fineHashes = fine.map(murmur32);
  const rowHashes = [...fineHashes, ...coarse.map(murmur32)];
  const timed = query.start_time !== undefined || query.end_time !== undefined;
  const usual = query.store === undefined || query.store === "trace" || query.store === "all";
  const open = roots.length === 0 && rowHashes.length === 0 && !timed && usual;
  return { rows: rowConditions(query, bind), fineHashes, rowHashes, roots, open };
}

function rootFilter(
  field: (typeof rootFields)[number],
  value: string | null,
  bind: Bindings,
): RootFilter {
  const hash = murmur32(identityTerm(field, value));
  if (value === null) return { condition: "scope = 'anonymous'", hash };
  const said = bind.text(value);
  switch (field) {
    case "agent_id":
      // Where nothing else says, a received span's agent is its application (design 3.8, rule 2).
      return { condition: `(agent_id = ${said} OR application_id = ${said})`, hash };
    case "run_id":
    case "turn_id":
      return { condition: `(${field} = ${said} OR span_id = ${said})`, hash };
    case "application_id":
    case "user_id":
    case "memory_id":
    case "thread_id":
      return { condition: `${field} = ${said}`, hash };
  }
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
  if (isTime(query.start_time)) rows.push(`timestamp >= ${nanosSql(query.start_time)}`);
  // The column is clamped, so an end beyond its range still lets its last value through.
  if (isTime(query.end_time)) rows.push(`timestamp <= ${nanosSql(query.end_time)}`);
  return rows;
}

function isTime(time: string | undefined): time is string {
  return time !== undefined && Number.isFinite(epochSeconds(time));
}

function nanosSql(time: string): string {
  return `fromUnixTimestamp64Nano(toInt64(${clampedNanos(time)}))`;
}

/** The filter of the incident finder: some row of the root names the id. */
export function mentionFilter(
  id: string,
  touched: ReadonlySet<string>,
  bind: Bindings,
): RootFilter {
  const said = bind.text(id);
  const scalars = [...mentionedFields, ...mentionedAttributes, "span_id"];
  const lists = ["input_refs", "output_refs", "ledger_refs", "grounding_source_ids"];
  const held = [
    ...scalars.filter((name) => touched.has(name)).map((name) => `${name} = ${said}`),
    ...lists.filter((name) => touched.has(name)).map((name) => `has(${name}, ${said})`),
  ];
  return { condition: held.length === 0 ? "0" : `(${held.join(" OR ")})`, hash: murmur32(id) };
}
