/**
 * @module Events: the normalized event page, and the original records behind it (requirements:
 * Endpoints 1 to 7).
 */
import { Hono } from "hono";
import { z } from "zod";
import { buildPage, trustedErrors } from "@turnproof/evidence";
import type { EventPage, NormalizationError } from "@turnproof/evidence";
import { CodedError, limits } from "@turnproof/semconv";
import type { BundleRecord } from "@turnproof/store";

import type { AppContext, AppEnv } from "../../http/environment.ts";
import { pagingOf } from "../../http/paging.ts";
import { eventOnlyFilters, filters, readParameters } from "../../http/parameters.ts";
import { placeOfEvents } from "../../http/cursor-digest.ts";
import type { CursorUnitPlace, KeptRoot } from "../../http/cursor-digest.ts";
import { respondJson } from "../../http/respond.tsx";
import { pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { knownLosses, producerReports } from "../../judge/losses.ts";
import type { Parts } from "../../parts.ts";
import { rowsUnread } from "../../turns/rows-unread.ts";
import { turnQueryOfEvents, isSettled } from "../../turns/window.ts";

/** Parameters of the events endpoint. */
const eventsParameters = z
  .strictObject({
    view: z
      .enum(["events", "bundles"])
      .describe(
        "`events` (default): child events. `bundles`: events grouped by turn as v2 bundles; records of earlier versions as stored.",
      ),
    ...filters,
  })
  .partial();
type EventsParameters = z.output<typeof eventsParameters>;

/** The bundles view. */
export interface BundlePage {
  readonly items: readonly BundleRecord[];
  readonly source_rows: number;
  readonly errors: readonly NormalizationError[];
  readonly next_cursor: string | null;
  /** Mark of the walk; see {@link EventPage}. */
  readonly as_of: string;
  readonly window_complete: boolean;
  readonly limit: number;
}

/** Its JSON, by route. */
export interface EventsAnswers {
  readonly "GET /traces/events.json": EventPage | BundlePage;
}

/** Events: what each route needs, records and answers. */
export const eventsGroup: RouteGroup<EventsAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/events.json": {
      needs: "trace.read",
      audit: "events.read",
      reads: true,
      id: "listEvents",
      summary: "Normalized events, or the same events as bundles",
      text:
        "Filters are conjunctive. Times apply to child events, inclusive start and exclusive end. " +
        "`event_kind` also takes the older names that `/traces/capabilities.json` lists. With " +
        "`view=bundles`, filters that only child events can answer are refused. `limit` counts " +
        "child events; follow `next_cursor` until it is null.",
      query: eventsParameters,
      returns: "An event page, or a bundle page.",
      failures: [...pageFailures, "filter_not_applicable"],
    },
  },
  routes: eventsRoutes,
};

/** GET `/traces/events.json`. */
function eventsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/events.json", async (c) => {
    const parameters = readParameters(c, eventsParameters);
    const page =
      parameters.view === "bundles"
        ? await bundlePage(c, parts, parameters)
        : await eventPage(c, parts, parameters);
    return respondJson(c, page);
  });
  return app;
}

async function eventPage(
  c: AppContext,
  parts: Parts,
  parameters: EventsParameters,
): Promise<EventPage> {
  const limit = parameters.limit ?? limits.pageEventsDefault;
  const paging = await pagingOf(c, parts, parameters, { checksLater: true });
  const { reading } = paging;
  const { scope, query } = reading;
  const unread =
    rowsUnread(parts, reading) || !(await isSettled(parts, turnQueryOfEvents(reading)));
  let kept: KeptRoot | undefined;
  const slice = await parts.store.page(scope, query, {
    limit,
    signal: c.req.raw.signal,
    onRoots: (root) => (kept = root),
    ...(paging.after === undefined ? {} : { after: paging.after }),
  });
  await paging.check(kept);
  const reports = await producerReports(parts);
  const { quarantined_roots, losses } = knownLosses(parts, slice.events, reports);
  return buildPage(unread ? { ...slice, bounded: true } : slice, {
    limit,
    continued: paging.after !== undefined,
    nextCursor: await paging.seal(slice.next, placeOfEvents(reading, slice.events), kept),
    asOf: paging.asOf,
    quarantinedRoots: quarantined_roots,
    losses,
    query,
  });
}

/** Rule 2: filters that apply to child events only are refused here, not ignored. */
async function bundlePage(
  c: AppContext,
  parts: Parts,
  parameters: EventsParameters,
): Promise<BundlePage> {
  for (const field of eventOnlyFilters) {
    if (parameters[field] !== undefined) throw new CodedError("filter_not_applicable", { field });
  }
  const limit = parameters.limit ?? limits.pageEventsDefault;
  const paging = await pagingOf(c, parts, parameters);
  const { reading } = paging;
  const { scope, query } = reading;
  const settled = await isSettled(parts, turnQueryOfEvents(reading));
  const slice = await parts.store.bundles(scope, query, {
    limit,
    signal: c.req.raw.signal,
    ...(paging.after === undefined ? {} : { after: paging.after }),
  });
  return {
    items: slice.bundles,
    source_rows: slice.sourceRows,
    errors: slice.errors,
    next_cursor: await paging.seal(slice.next, placeOfRecord(slice.bundles.at(-1))),
    as_of: paging.asOf,
    window_complete:
      settled &&
      paging.after === undefined &&
      slice.next === null &&
      trustedErrors(slice.errors).length === 0,
    limit,
  };
}

/** A record is in its root; one without a root is written once and never again. */
function placeOfRecord(record: BundleRecord | undefined): CursorUnitPlace | undefined {
  const { identity } = (record?.payload ?? {}) as { readonly identity?: unknown };
  const { root_trace_id: root } = (identity ?? {}) as { readonly root_trace_id?: unknown };
  return typeof root === "string" ? { root } : undefined;
}
