/**
 * @module Find: one opaque id or a part of a name, over the whole history, within the principal's
 * scope (requirements: Endpoints; collector: Answer).
 */
import { Hono } from "hono";
import { z } from "zod";
import { limits } from "@turnproof/semconv";
import type { Keyset, TurnQuery } from "@turnproof/store";

import type { AppContext, AppEnv } from "../../http/environment.ts";
import { pagingOf } from "../../http/paging.ts";
import { readingFor } from "../../http/query.ts";
import { leftOut, reachText } from "../../ui/display/find-texts.ts";
import { filters, id, readParameters } from "../../http/parameters.ts";
import { respond } from "../../http/respond.tsx";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import type { ListFields } from "../../tables/list-files.ts";
import { placeOfEvents } from "../../http/cursor-digest.ts";
import { searchedPlaces } from "../../memory/searched-places.ts";
import type { SearchedPlace } from "../../memory/searched-places.ts";
import { withTwin, pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { pendingFrames } from "../../turns/window.ts";
import { foundFields, foundRoots } from "./found-roots.ts";
import type { FoundRoot } from "./found-roots.ts";
import { findPage } from "./page.tsx";
import { namedValues } from "./named-values.ts";
import type { NamedValue, NamedValues } from "./named-values.ts";

/** Parameters of the finder. */
const findParameters = z
  .strictObject({
    id: id.describe(
      "A user, thread, root, run, turn, task, job, source, artifact, event, span or error id, or " +
        "parts of a name or of an id. " +
        "Without it, the first of user, thread, root, run, turn, task and resource that is given.",
    ),
    application_id: filters.application_id,
    agent_id: filters.agent_id,
    user_id: filters.user_id.describe(
      "Tenant; only narrows what the caller may read, and lets rows of its memory be searched too.",
    ),
    scope: filters.scope,
    memory_id: filters.memory_id.describe("Memory."),
    thread_id: filters.thread_id,
    root_trace_id: filters.root_trace_id.describe("Root trace."),
    run_id: filters.run_id.describe("Run."),
    turn_id: filters.turn_id.describe("Turn."),
    task_id: filters.task_id.describe("Task."),
    resource_ref: filters.resource_ref.describe("A resource among inputs, outputs or candidates."),
    event_kind: filters.event_kind.describe("Kind of event, by its current or former name."),
    status: filters.status.describe("Status of the event."),
    start_time: filters.start_time.describe("Child-event time, inclusive, ISO 8601."),
    end_time: filters.end_time.describe("Child-event time, exclusive, ISO 8601."),
    names: z
      .enum(["listed", "none"])
      .describe("`none` leaves `named` empty, and so reads the evidence alone."),
    limit: filters.limit,
    cursor: filters.cursor,
  })
  .partial();

/** Filters that are ids themselves; the first present one replaces a missing `id`. */
const idFilters = [
  "user_id",
  "thread_id",
  "root_trace_id",
  "run_id",
  "turn_id",
  "task_id",
  "resource_ref",
] as const;

/** Body of `/traces/find.json`. */
export interface FindModel extends NamedValues {
  /** False until an id is given: the page shows an empty box. */
  readonly requested: boolean;
  readonly items: readonly FoundRoot[];
  /** Events with the id on this page. */
  readonly event_count: number;
  readonly limit: number;
  readonly next_cursor: string | null;
  /** Before the first page of the walk was read. */
  readonly as_of: string;
  /**
   * True when there was no cursor in the request, none in the page, no bound was reached, nothing
   * is pending and no place that the principal may read was left out.
   */
  readonly window_complete: boolean;
  readonly bounded: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
  /** Which places were searched, which were not and why; empty until an id is given. */
  readonly places: readonly (SearchedPlace & { readonly message: string })[];
}

const noNames: NamedValues = { named: [], named_total: 0, not_compared: [] };

/** The model before an id is given. */
const nothing: Omit<FindModel, "limit" | "as_of"> = {
  requested: false,
  items: [],
  event_count: 0,
  next_cursor: null,
  window_complete: true,
  bounded: false,
  pending_frames: 0,
  places: [],
  ...noNames,
};

/** Its JSON, by route. */
export interface FindAnswers {
  readonly "GET /traces/find.json": FindModel;
}

const findFile = {
  path: "/traces/find",
  name: "found",
  rows: "traces that mention an id",
  query: findParameters.omit({ limit: true, cursor: true, names: true }),
} as const;

const namedFile = {
  path: "/traces/find/named",
  name: "named",
  rows: "`named`: one line per name or id with a text",
  json: "/traces/find.json",
  query: findFile.query,
} as const;

/** Fields of a name or an id in a file. */
const namedFields: ListFields<NamedValue> = {
  key: "text",
  name: "text",
  value: "text",
  words: "text",
  turns: "integer",
};

/** Find: what each route needs, records and answers. */
export const findGroup: RouteGroup<FindAnswers> = {
  tag: "Traces",
  rail: { under: "/traces/incidents", href: "/traces/find" },
  endpoints: {
    ...withTwin("/traces/find", {
      needs: "trace.read",
      audit: "find.read",
      reads: true,
      id: "findRoots",
      summary: "Find by id or name",
      text:
        "One opaque id over the whole history: user, thread, root, job, source, artifact, error. " +
        "`named` has names and findings with each word of the text, and other ids of threads, tenants, " +
        "roots, turns, runs, tasks, memories and sources with it, over the whole history. `not_compared` are " +
        "kinds of which not all are compared: of ids the 20,000 most frequent that have the longest piece of " +
        "the text, of names the 1,000 most frequent; their whole ids are found. `event_count`, `turn_ids` and times are of " +
        "the page; `turns` of `named` are of all turns.",
      query: findParameters,
      returns: "Roots that mention the id, with a cursor.",
      failures: pageFailures,
    }),
    ...fileEndpoints(findFile),
    ...fileEndpoints(namedFile),
  },
  routes: findRoutes,
};

/** GET `/traces/find` and its twin. */
function findRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/traces/find", "/traces/find.json"], async (c) => {
    const parameters = readParameters(c, findParameters);
    const requested = requestedId(parameters);
    const wanted = requested === undefined ? undefined : c.get("typed")(requested);
    const limit = parameters.limit ?? limits.pageEventsDefault;
    const { names, ...selecting } = parameters;
    const paging = await pagingOf(c, parts, { ...selecting, store: "all", view: "find" });
    const { reading } = paging;
    const { scope, query } = reading;
    if (wanted === undefined) {
      const model: FindModel = { ...nothing, limit, as_of: paging.asOf };
      return respond(c, { model, view: findPage });
    }
    const pending = await pendingFrames(parts);
    const slice = await parts.store.find(scope, wanted, query, {
      limit,
      signal: c.req.raw.signal,
      ...(paging.after === undefined ? {} : { after: paging.after }),
    });
    const places = searchedPlaces({
      scope,
      query,
      slice,
      after: paging.after,
      hasMemory: parts.memory !== undefined,
    });
    const whole = pending === 0 && paging.after === undefined && slice.next === null;
    const left = slice.bounded || places.some(({ reach }) => leftOut(reach));
    const model: FindModel = {
      requested: true,
      items: await foundRoots(parts, scope, slice.events, wanted),
      event_count: slice.events.length,
      limit,
      next_cursor: await paging.seal(slice.next, placeOfEvents(reading, slice.events)),
      as_of: paging.asOf,
      window_complete: whole && !left,
      bounded: slice.bounded,
      pending_frames: pending,
      places: places.map((one) => ({ ...one, message: reachText(one.place, one.reach) })),
      ...(parameters.id === undefined || paging.after !== undefined || names === "none"
        ? noNames
        : await namedValues(parts.store.ledger, readableTurns(c), parameters.id)),
    };
    return respond(c, { model, view: findPage });
  });
  mountFiles<FoundRoot>(app, parts, {
    ...findFile,
    fields: foundFields,
    pages: (c, bound) => foundPages(parts, c, bound),
  });
  mountFiles<NamedValue>(app, parts, {
    ...namedFile,
    fields: namedFields,
    async *pages(c) {
      const { id: text } = readParameters(c, namedFile.query);
      if (text === undefined) return yield [];
      const { ledger } = parts.store;
      yield (await namedValues(ledger, readableTurns(c), text, Number.POSITIVE_INFINITY)).named;
    },
  });
  return app;
}

/** All turns that the principal may read. */
function readableTurns(c: AppContext): TurnQuery {
  return { ...turnQueryOf(readingFor(c, {})), signal: c.req.raw.signal };
}

/** The id that a request looks for. */
function requestedId(
  parameters: Readonly<Partial<Record<"id" | (typeof idFilters)[number], string | undefined>>>,
): string | undefined {
  const named = idFilters.find((name) => parameters[name] !== undefined);
  return parameters.id ?? (named === undefined ? undefined : parameters[named]);
}

/** Every trace with the id; one of which more is found on a later page is there again. */
async function* foundPages(
  parts: Parts,
  c: AppContext,
  bound: () => void,
): AsyncGenerator<readonly FoundRoot[]> {
  const parameters = readParameters(c, findFile.query);
  const requested = requestedId(parameters);
  if (requested === undefined) return yield [];
  const wanted = c.get("typed")(requested);
  const { scope, query } = readingFor(c, { ...parameters, store: "all" });
  for (let after: Keyset | undefined; ;) {
    const slice = await parts.store.find(scope, wanted, query, {
      limit: limits.pageEventsDefault,
      signal: c.req.raw.signal,
      ...(after === undefined ? {} : { after }),
    });
    if (slice.bounded) bound();
    yield await foundRoots(parts, scope, slice.events, wanted);
    if (slice.next === null) return;
    after = slice.next;
  }
}
