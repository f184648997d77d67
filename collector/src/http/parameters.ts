/**
 * @module Parameters: strict parsing of query strings. An unknown or repeated parameter is
 * refused, and the same zod schemas validate and describe (requirements: Endpoints; faults W14).
 */
import { CodedError, attribute, eventStatuses, kindOf, limits } from "@turnproof/semconv";
import type { EventKind } from "@turnproof/semconv";
import { z } from "zod";

import type { AppContext } from "./environment.ts";
import { wantsPage } from "./environment.ts";
import { ParameterError } from "./parameter-error.ts";
import { marksIgnored, numbersOf, unclearWord } from "./ignored-parameters.ts";
import type { IgnoredParameter } from "../ui/display/ignored-texts.ts";
import {
  requestedRange,
  isRelative,
  rangeParameters,
  readTime,
  refusedRange,
  timeCharsMax,
  writtenTime,
} from "../ui/display/time-range.ts";
import { idOfSegment } from "../ui/display/page-address.ts";

/** An opaque identifier as typed. */
export const id: z.ZodString = z
  .string()
  .min(1)
  .max(limits.stringCharsMax)
  .regex(/^\P{Cc}+$/u);

const time = z
  .string()
  .max(timeCharsMax)
  .transform((value, context) => {
    const writtenAs = writtenTime(value);
    const utc = isRelative(writtenAs) ? writtenAs : readTime(writtenAs, 0);
    if (utc === undefined) context.addIssue({ code: "custom", message: "not a time" });
    return utc ?? z.NEVER;
  });

const kind = z
  .string()
  .max(64)
  .transform((value, context): EventKind => {
    const found = kindOf(value);
    if (found === undefined) context.addIssue({ code: "custom", message: "unknown kind" });
    return found ?? z.NEVER;
  });

/** Description of a number that arrives as text: a number. */
function integer(minimum: number, maximum: number): Record<string, unknown> {
  return { type: "integer", minimum, maximum, pattern: undefined };
}

/** A number of rows from 1. */
export const limitUpTo = (most: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().int().min(limits.pageEventsMin).max(most))
    .meta(integer(limits.pageEventsMin, most));

/** A number of events, 1 to 1,000. */
const limit = limitUpTo(limits.pageEventsMax).describe(
  `${limits.pageEventsMin} to ${limits.pageEventsMax}; default ${limits.pageEventsDefault}. ` +
    "On event views it counts child events.",
);

/** The parameters that listings share, by name; a route picks from them. */
export const filters = {
  store: z
    .enum(["trace", "conversation", "tool_log", "all"])
    .describe("Which store's rows; default trace."),
  application_id: id.describe(`Application (\`${attribute.application_id.span}\`).`),
  agent_id: id.describe("Agent; an event of it stays visible whatever its memory id."),
  user_id: id.describe("Tenant; only narrows what the caller may read."),
  scope: z.enum(["anonymous"]).describe("`anonymous`: rows that belong to no user."),
  memory_id: id.describe("Memory."),
  thread_id: id.describe(`Thread (\`${attribute.thread_id.span}\`).`),
  root_trace_id: id.describe("Root trace. Needs view=events."),
  run_id: id.describe("Run. Needs view=events."),
  turn_id: id.describe("Turn. Needs view=events."),
  task_id: id.describe("Task. Needs view=events."),
  tool_name: id.describe("Tool. Needs view=events."),
  resource_ref: id.describe("A resource among inputs, outputs or candidates. Needs view=events."),
  event_kind: kind.describe("Kind of event, by its current or former name. Needs view=events."),
  status: z.enum(eventStatuses).describe("Status of the event. Needs view=events."),
  start_time: time.describe(
    "Child-event time, inclusive, ISO 8601 or before now (`-24h`). Needs view=events.",
  ),
  end_time: time.describe(
    "Child-event time, exclusive, ISO 8601 or before now (`-1h`). Needs view=events.",
  ),
  limit,
  cursor: z.string().min(1).max(8_192).describe("The `next_cursor` of the page before."),
};

/** Chart above the turns. */
export const chart = z
  .enum(["count", "duration", "trend"])
  .describe(
    "What the page draws over time: how many turns (default), how long they took, or their " +
      "outcomes (`trend`: verdicts, durations, tools and tokens).",
  );

/** Encoding of a model's long lists; both have the same content. */
export const form = z
  .enum(["records", "columns"])
  .describe(
    "How long lists are written in JSON: a record for each row (default), or a list for each " +
      "field, which is far shorter and is what the pages read.",
  );

/** Filters that apply to child events only (requirements: Endpoints 2). */
export const eventOnlyFilters = [
  "memory_id",
  "root_trace_id",
  "run_id",
  "turn_id",
  "task_id",
  "tool_name",
  "resource_ref",
  "event_kind",
  "status",
  "start_time",
  "end_time",
] as const;

/**
 * The id in the last segment of a path, with or without `.json`; an invalid id is not found.
 *
 * @throws CodedError `not_found`
 */
export function readPathId(c: AppContext, name: string): string {
  const result = id.safeParse(idOfSegment((c.req.param(name) ?? "").replace(/\.json$/, "")));
  if (!result.success) throw new CodedError("not_found");
  return result.data;
}

/**
 * Parses the query string by a schema of all its parameters. A page is shown without what it cannot
 * read, and without a range that cannot be applied; it marks both.
 *
 * @throws ParameterError `parameter_unknown`, `parameter_repeated` or `parameter_invalid`; `field`
 * is set only for a parameter of the route
 */
export function readParameters<S extends z.ZodObject>(c: AppContext, schema: S): z.output<S> {
  const known = Object.keys(schema.shape);
  const marks = marksIgnored(c);
  const ignored: IgnoredParameter[] = [];
  const given: Record<string, string> = Object.create(null) as Record<string, string>;
  // A form of a page without script also sends its empty fields; they are ignored.
  const lenient = wantsPage(c);
  for (const [name, values] of Object.entries(c.req.queries())) {
    const [value = ""] = values;
    const isKnown = known.includes(name);
    if (isKnown && values.length === 1) {
      if (value !== "" || !lenient) given[name] = value;
    } else if (marks) {
      ignored.push({ name, value, reason: isKnown ? "repeated" : "unknown" });
    } else if (isKnown) throw new ParameterError("parameter_repeated", [], name);
    else throw new ParameterError("parameter_unknown", known);
  }
  leaveOutRange(c, given);
  if (marks && given["scope"] === "anonymous" && given["user_id"] !== undefined) {
    ignored.push({ name: "scope", value: given["scope"], reason: "other_tenant" });
    for (const name of ["scope", "cursor"]) delete given[name];
  }
  const before = JSON.stringify(given);
  const parsed = parseOrIgnore(given, schema, marks ? ignored : undefined);
  if (ignored.length > 0 || JSON.stringify(given) !== before) {
    c.set("applied", { parameters: { ...given }, ignored });
  }
  return parsed;
}

/** Parses; takes what is invalid out of `given` where it can be left out. */
function parseOrIgnore<S extends z.ZodObject>(
  given: Record<string, string>,
  schema: S,
  ignored: IgnoredParameter[] | undefined,
): z.output<S> {
  const result = schema.safeParse({ ...given });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [field] = issue?.path ?? [];
  const allowed = issue?.code === "invalid_value" ? issue.values.map(String) : [];
  const name = typeof field === "string" ? field : undefined;
  const value = name === undefined ? undefined : given[name];
  if (ignored === undefined || name === undefined || value === undefined) {
    throw new ParameterError("parameter_invalid", allowed, name);
  }
  delete given[name];
  // A cursor belongs to the filters of its list.
  if (name !== "cursor") delete given["cursor"];
  const word = "q" in schema.shape ? unclearWord(name, value) : undefined;
  if (word === undefined) {
    const numbers = numbersOf(schema.shape[name] as z.ZodType | undefined);
    ignored.push({ name, value, reason: "invalid", allowed, ...(numbers && { numbers }) });
  } else given["q"] = given["q"] === undefined ? word : `${given["q"]} ${word}`;
  return parseOrIgnore(given, schema, ignored);
}

/**
 * Leaves out the range of a page that cannot be applied, and the cursor that would belong to it.
 */
function leaveOutRange(c: AppContext, given: Record<string, string>): void {
  if (c.get("renderer")?.hasPicker(c) !== true) return;
  const refused = refusedRange(requestedRange(new URLSearchParams(given)), c.get("now")());
  // The range of a later page counts back from its first page, whose cursor has the time.
  if (refused === undefined || (given["cursor"] !== undefined && refused.noTimes.length === 0))
    return;
  c.set("refusedRange", refused);
  for (const name of [...rangeParameters, "cursor"]) delete given[name];
}
