/**
 * @module Tools: calls of tools and models, their failures, outcomes and durations, by name,
 * provider, release and agent, and over time. Exact, over all turns of the filter.
 */
import { Hono } from "hono";
import { z } from "zod";

import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { callFields, callRows, failedOf } from "../../turns/call-rows.ts";
import type { CallRow, CallRows, ListedBy } from "../../turns/call-rows.ts";
import { selectedCall } from "../../turns/selected-call.ts";
import type { SelectedCall } from "../../turns/selected-call.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { knownNames } from "../../turns/free-text.ts";
import { orderParameter, rowsInOrder } from "../../turns/rows-in-order.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { rangeOf } from "../../ui/display/time-range.ts";
import { toolsPage } from "./page.tsx";

const { chart: _chart, ...turnFilters } = listParameters.shape;

/** Columns by which rows can be sorted. */
const sortFields = [
  "calls",
  "failed",
  "empty",
  "degraded",
  "fallback",
  "unknown",
  "p50_ms",
  "p95_ms",
  "p99_ms",
] as const;
type SortField = (typeof sortFields)[number];

const toolsParameters = z.strictObject({
  ...turnFilters,
  kind: z.enum(["tool", "model"]).describe("Which calls; default `tool`.").optional(),
  by: z.enum(callFields).describe("What the calls are listed by; default `name`.").optional(),
  sort: z
    .enum(sortFields)
    .describe("Default `calls`. Outcomes sort by their share; unknown values come last.")
    .optional(),
  order: orderParameter,
});

/** Body of `/tools.json`. */
export interface ToolsModel extends Pick<CallRows, "total" | "slices" | "frame"> {
  readonly kind: "tool" | "model";
  readonly by: ListedBy;
  /** Turns that pass the filter. */
  readonly turns_counted: number;
  /**
   * The tool or model, or the provider, that the filter names: every figure is of its calls alone.
   * Null where it names none or several: then the figures are of all calls of the turns.
   */
  readonly selected: SelectedCall | null;
  /** The calls of a turn of several releases count under each. */
  readonly items: readonly CallRow[];
  /** Number of rows, of which `items` has the first. */
  readonly groups: number;
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface ToolsAnswers {
  readonly "GET /tools.json": ToolsModel;
}

/** Most rows of an answer; a file has all. */
const rowsMax = 100;

const toolsFile = {
  path: "/tools",
  name: "tools",
  rows: "calls of tools or models",
  query: toolsParameters,
} as const;

/** Tools: what each route needs, records and answers. */
export const toolsGroup: RouteGroup<ToolsAnswers> = {
  tag: "Traces",
  rail: { order: 4, href: "/tools", name: "Tools", icon: "tool", key: "o" },
  endpoints: {
    ...withTwin("/tools", {
      needs: "trace.read",
      audit: "tools.read",
      reads: true,
      id: "getTools",
      summary: "Calls of tools and models, how they ended and how long they took",
      text:
        "Exact, over every call of the turns that pass; where a filter names one tool or model " +
        "(`tool_name`, or `tool:`, `model:` or `call:` in `q`), over its calls alone, see `selected`. Durations are nearest-rank percentiles of the " +
        "known ones. `slices` has the intervals of `frame`, by the time at which a turn ended.",
      query: toolsParameters,
      returns: "One row for each value.",
      failures: pageFailures,
    }),
    ...fileEndpoints(toolsFile),
  },
  routes: toolsRoutes,
};

/** GET `/tools` and its twin. */
function toolsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/tools", "/tools.json"], async (c) => {
    const whole = await readTools(c, parts, wantsPage(c));
    const model: ToolsModel = { ...whole, items: whole.items.slice(0, rowsMax) };
    return respond(c, { model, view: toolsPage });
  });
  mountFiles<CallRow>(app, parts, {
    ...toolsFile,
    fields: {
      value: "text",
      calls: "integer",
      outcomes: "json",
      p50_ms: "number",
      p95_ms: "number",
      p99_ms: "number",
      duration_unknown: "integer",
      slices: "json",
    },
    async *pages(c) {
      yield (await readTools(c, parts, false)).items;
    },
  });
  return app;
}

/** The calls with every row. */
async function readTools(c: AppContext, parts: Parts, lenient: boolean): Promise<ToolsModel> {
  const { ledger } = parts.store;
  const requested = readParameters(c, toolsParameters);
  const { kind = "tool", by = "name", sort = "calls", order, ...parameters } = requested;
  const reading = readingFor(c, parameters);
  const names = await knownNames(ledger, reading.scope, parameters.q);
  const reads = { typed: c.get("typed"), names, lenient };
  const query = { ...turnQueryOf(reading, parameters, reads), signal: c.req.raw.signal };
  const pending = await pendingFrames(parts);
  const nowMs = parts.now();
  const selected = selectedCall(kind, parameters);
  const options = { kind, by, selected, nowMs, within: rangeOf(parameters, nowMs) };
  const [turns, { total, slices, rows, frame }] = await Promise.all([
    ledger.countTurns(query),
    callRows(ledger, query, options),
  ]);
  return {
    kind,
    by,
    turns_counted: turns,
    selected: selected ?? null,
    total,
    slices,
    items: sorted(rows, sort, order),
    groups: rows.length,
    frame,
    complete: await isComplete(parts, pending, query),
    pending_frames: pending,
  };
}

function sorted(
  rows: readonly CallRow[],
  by: SortField,
  order: "descending" | "ascending" | undefined,
): readonly CallRow[] {
  const valueOf = (row: CallRow): number | null => {
    if (by === "calls") return row.calls;
    if (by === "p50_ms" || by === "p95_ms" || by === "p99_ms") return row[by];
    const count = by === "failed" ? failedOf(row.outcomes) : (row.outcomes[by] ?? 0);
    return count / row.calls;
  };
  return rowsInOrder(rows, valueOf, order);
}
