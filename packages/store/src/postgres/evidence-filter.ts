/**
 * @module EvidenceFilter: a query and a scope as SQL. What one row decides alone is a condition on
 * rows; identity may be inherited, so a filter on it becomes "some row of this root says so" and is
 * decided exactly after the root is settled. Both let too much through, never too little.
 */
import type { EventQuery } from "@turnproof/evidence";

import type { EvidenceScope } from "../scope.ts";
import { clampedNanos, epochSeconds } from "../time.ts";
import type { Bindings } from "./sql-text.ts";

/** Conditions of one search. */
export interface EvidenceConditions {
  /** True of the row itself. */
  readonly rows: readonly string[];
  /** Each true of some row of the root. */
  readonly roots: readonly string[];
}

/** Conditions under which a root can hold rows of the scope. */
export function scopeConditions(scope: EvidenceScope, bind: Bindings): string[] {
  const applicationId = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  return [
    ...("operator" in scope ? [] : [identity("user_id", scope.tenant, bind)]),
    ...(applicationId === undefined ? [] : [identity("application_id", applicationId, bind)]),
  ];
}

/** Conditions of the query. */
export function queryConditions(query: EventQuery, bind: Bindings): EvidenceConditions {
  const roots = identities.flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [identity(field, value, bind)];
  });
  return { rows: rowConditions(query, bind), roots };
}

/** A row that names the id; an identity may also be derived from the row's own span id. */
export function mentionCondition(id: string, bind: Bindings): string {
  return id.isWellFormed() ? `mentions @> ARRAY[${bind.text(id)}]` : "false";
}

const identities = [
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
] as const;

function identity(
  field: (typeof identities)[number],
  value: string | null,
  bind: Bindings,
): string {
  // Anonymous was said, and is NULL; nobody having said anything is a third state.
  if (value === null) return "tenant_said AND user_id IS NULL";
  if (!value.isWellFormed()) return "false";
  const said = bind.text(value);
  switch (field) {
    case "user_id":
      return `tenant_said AND user_id = ${said}`;
    case "agent_id":
      // Where nothing else says, a received span's agent is its application (design 3.8, rule 2).
      return `(agent_id = ${said} OR application_id = ${said})`;
    case "run_id":
    case "turn_id":
      return `(${field} = ${said} OR span_id = ${said})`;
    case "application_id":
    case "memory_id":
    case "thread_id":
      return `${field} = ${said}`;
  }
}

function rowConditions(query: EventQuery, bind: Bindings): string[] {
  const rows: string[] = [];
  const store = query.store ?? "trace";
  if (store !== "all") rows.push(`source_store = ${bind.text(store)}`);
  for (const field of ["root_trace_id", "task_id", "event_kind", "status", "tool_name"] as const) {
    const value = query[field];
    if (value === undefined) continue;
    rows.push(value.isWellFormed() ? `${field} = ${bind.text(value)}` : "false");
  }
  if (query.resource_ref !== undefined) rows.push(mentionCondition(query.resource_ref, bind));
  if (isTime(query.start_time)) rows.push(`event_ns >= ${nanos(query.start_time, bind)}`);
  // The column is clamped, so an end beyond its range still lets its last value through.
  if (isTime(query.end_time)) rows.push(`event_ns <= ${nanos(query.end_time, bind)}`);
  return rows;
}

function isTime(time: string | undefined): time is string {
  return time !== undefined && Number.isFinite(epochSeconds(time));
}

function nanos(time: string, bind: Bindings): string {
  return `${bind.plain(String(clampedNanos(time)))}::bigint`;
}
