/**
 * @module Query: builds a query of evidence from a route's parameters, narrowed to the principal.
 */
import type { EventQuery } from "@turnproof/evidence";
import { CodedError, compareTimes } from "@turnproof/semconv";

import { readingOf } from "../access/grants.ts";
import type { Reading } from "../access/grants.ts";
import { principalOf } from "./environment.ts";
import { rangeParameters, readTime } from "../ui/display/time-range.ts";
import type { AppContext } from "./environment.ts";

/** Parameters that are filters, by the names of an {@link EventQuery}. */
type Filters = Partial<Record<keyof EventQuery, unknown>> & {
  readonly scope?: "anonymous" | undefined;
};

/** Fields that a producer may have keyed. */
const keyedFields = [
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "root_trace_id",
  "run_id",
  "turn_id",
  "task_id",
] as const;
const keyed: ReadonlySet<string> = new Set(keyedFields);

const times: ReadonlySet<string> = new Set(rangeParameters);

const queryFields = [
  "store",
  ...keyedFields,
  "tool_name",
  "resource_ref",
  "event_kind",
  "status",
  "start_time",
  "end_time",
] as const satisfies readonly (keyof EventQuery)[];

/**
 * What the principal reads with these parameters.
 *
 * @param atMs relative times count back from here, epoch milliseconds
 *
 * @throws CodedError `scope_forbidden` for a foreign tenant, `parameter_invalid` for two tenants,
 * `range_empty` for an empty range of time
 */
export function readingFor(
  c: AppContext,
  parameters: Filters,
  atMs: number = c.get("now")(),
): Reading {
  const query: Record<string, unknown> = {};
  for (const field of queryFields) {
    const value = parameters[field];
    if (value === undefined) continue;
    query[field] = typeof value === "string" ? stored(c, field, value, atMs) : value;
  }
  refuseEmptyRange(query);
  if (parameters.scope === "anonymous") {
    if (query["user_id"] !== undefined) {
      throw new CodedError("parameter_invalid", { field: "scope" });
    }
    query["user_id"] = null;
  }
  return { ...readingOf(principalOf(c), query), atMs };
}

/** A value as the store has it: an id perhaps keyed, a time in UTC. */
function stored(c: AppContext, field: string, value: string, atMs: number): string | undefined {
  if (keyed.has(field)) return c.get("typed")(value, field);
  return times.has(field) ? readTime(value, atMs) : value;
}

/**
 * The end is exclusive. An empty answer would mean "there was nothing", so an empty range is
 * refused.
 */
function refuseEmptyRange({ start_time: start, end_time: end }: Filters): void {
  if (typeof start !== "string" || typeof end !== "string") return;
  if (compareTimes(start, end) >= 0) throw new CodedError("range_empty", { field: "start_time" });
}
