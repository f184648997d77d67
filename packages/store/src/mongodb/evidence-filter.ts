/**
 * @module EvidenceFilter: a query and a scope as conditions. What one row decides alone is a
 * condition on rows; identity may be inherited, so a filter on it becomes "some row of this root
 * says so" and is decided exactly after the root is settled. Both let too much through, never too
 * little. Values only ever stand behind an operator of ours.
 */
import type { EventQuery } from "@turnproof/evidence";
import type { Document, Filter } from "mongodb";

import type { EvidenceScope } from "../scope.ts";
import { clampedNanos, epochSeconds } from "../time.ts";
import { nanosKey } from "./evidence-document.ts";

type Condition = Filter<Document>;

/** Conditions of one search. */
export interface EvidenceConditions {
  /** True of the row itself. */
  readonly rows: readonly Condition[];
  /** Each true of some row of the root. */
  readonly roots: readonly Condition[];
}

/** Conditions under which a root can hold rows of the scope. */
export function scopeConditions(scope: EvidenceScope): Condition[] {
  const applicationId = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  return [
    ...("operator" in scope ? [] : [identity("user_id", scope.tenant)]),
    ...(applicationId === undefined ? [] : [identity("application_id", applicationId)]),
  ];
}

/** Conditions of the query. */
export function queryConditions(query: EventQuery): EvidenceConditions {
  const roots = identities.flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [identity(field, value)];
  });
  return { rows: rowConditions(query), roots };
}

/** A row that names the id; an identity may also be derived from the row's own span id. */
export function mentionCondition(id: string): Condition {
  return { mentions: { $eq: id } };
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

function identity(field: (typeof identities)[number], value: string | null): Condition {
  const said = { [field]: { $eq: value } };
  switch (field) {
    case "user_id":
      return { $and: [{ tenant_said: { $eq: true } }, said] };
    case "agent_id":
      // Where nothing else says, a received span's agent is its application (design 3.8, rule 2).
      return { $or: [said, { application_id: { $eq: value } }] };
    case "run_id":
    case "turn_id":
      return { $or: [said, { span_id: { $eq: value } }] };
    case "application_id":
    case "memory_id":
    case "thread_id":
      return said;
  }
}

function rowConditions(query: EventQuery): Condition[] {
  const rows: Condition[] = [];
  const store = query.store ?? "trace";
  if (store !== "all") rows.push({ source_store: { $eq: store } });
  for (const field of ["root_trace_id", "task_id", "event_kind", "status", "tool_name"] as const) {
    const value = query[field];
    if (value !== undefined) rows.push({ [field]: { $eq: value } });
  }
  if (query.resource_ref !== undefined) rows.push(mentionCondition(query.resource_ref));
  if (isTime(query.start_time)) rows.push({ event_key: { $gte: keyOf(query.start_time) } });
  // The key is clamped, so an end beyond its range still lets its last value through.
  if (isTime(query.end_time)) rows.push({ event_key: { $lte: keyOf(query.end_time) } });
  return rows;
}

function isTime(time: string | undefined): time is string {
  return time !== undefined && Number.isFinite(epochSeconds(time));
}

function keyOf(time: string): string {
  return nanosKey(clampedNanos(time));
}
