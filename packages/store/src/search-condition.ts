/**
 * @module SearchCondition: a scope and a query as conditions on searched fields, before any
 * database spells them. What one row decides alone is a condition on rows; identity may be
 * inherited, so a filter on it becomes "some row of this root says so" and is decided exactly after
 * the root is settled. Both let too much through, never too little.
 */
import { inheritedFields } from "@turnproof/evidence";
import type { EventQuery, InheritedField } from "@turnproof/evidence";

import { wordsOfId } from "./mention.ts";
import { checkScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";
import { clampedNanos, isTime } from "./time.ts";

/** Text fields that a condition compares. */
export type ComparedField =
  | "application_id"
  | "agent_id"
  | "memory_id"
  | "thread_id"
  | "run_id"
  | "turn_id"
  | "span_id"
  | "source_store"
  | "root_trace_id"
  | "task_id"
  | "event_kind"
  | "status"
  | "tool_name";

/** One comparison with one row. */
export type Comparison =
  | { readonly field: ComparedField; readonly is: string }
  /** The row says this tenant: a user, or with null that it is anonymous. */
  | { readonly tenant: string | null }
  /** The row names this id. */
  | { readonly mentions: string }
  /** The row is evidence, not a plain span. */
  | { readonly evidence: true }
  /** The event's own time, nanoseconds since the epoch, clamped; both ends inclusive. */
  | { readonly from: bigint }
  | { readonly to: bigint };

/** True of a row when any of its comparisons is. */
export type Condition = readonly Comparison[];

/** Conditions of one search. */
export interface EvidenceConditions {
  /** Each true of the row itself. */
  readonly rows: readonly Condition[];
  /** Each true of some row of the root. */
  readonly roots: readonly Condition[];
}

/** What a read looks for. */
export interface Question {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  /** An id that shown events name. */
  readonly id?: string;
  /** True where roots of plain spans are not looked for. */
  readonly evidenceOnly?: boolean;
}

/** Everything that a row, or its root, must say to be part of the answer. */
export function conditionsOf({ scope, query, id, evidenceOnly }: Question): EvidenceConditions {
  const asked = inheritedFields.flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [identity(field, value)];
  });
  const named: readonly Condition[] =
    id === undefined ? [] : [wordsOfId(id).map((word) => ({ mentions: word }))];
  const evidence: readonly Condition[] = evidenceOnly === true ? [[{ evidence: true }]] : [];
  return {
    rows: [...rowConditions(query), ...evidence],
    roots: [...scopeConditions(scope), ...asked, ...named],
  };
}

/** Conditions under which a root can hold rows of the scope. @throws CodedError as `checkScope` */
export function scopeConditions(scope: EvidenceScope): readonly Condition[] {
  checkScope(scope);
  const applicationId = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  return [
    ...("operator" in scope ? [] : [identity("user_id", scope.tenant)]),
    ...(applicationId === undefined ? [] : [identity("application_id", applicationId)]),
  ];
}

function identity(field: InheritedField, value: string | null): Condition {
  if (value === null) return [{ tenant: null }];
  switch (field) {
    case "user_id":
      return [{ tenant: value }];
    case "agent_id":
      // Where nothing else says, a received span's agent is its application (design 3.8, rule 2).
      return [
        { field, is: value },
        { field: "application_id", is: value },
      ];
    case "run_id":
    case "turn_id":
      // Both may be derived from the span of a turn.
      return [
        { field, is: value },
        { field: "span_id", is: value },
      ];
    case "application_id":
    case "memory_id":
    case "thread_id":
      return [{ field, is: value }];
  }
}

function rowConditions(query: EventQuery): Condition[] {
  const rows: Condition[] = [];
  const store = query.store ?? "trace";
  if (store !== "all") rows.push([{ field: "source_store", is: store }]);
  for (const field of ["root_trace_id", "task_id", "event_kind", "status", "tool_name"] as const) {
    const value = query[field];
    if (value !== undefined) rows.push([{ field, is: value }]);
  }
  if (query.resource_ref !== undefined) rows.push([{ mentions: query.resource_ref }]);
  if (isTime(query.start_time)) rows.push([{ from: clampedNanos(query.start_time) }]);
  // The column is clamped, so an end beyond its range still lets its last value through.
  if (isTime(query.end_time)) rows.push([{ to: clampedNanos(query.end_time) }]);
  return rows;
}
