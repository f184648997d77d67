/**
 * @module Turns: one row per turn from the ledger, with the background judge's verdict where there
 * is one, in any order and under any filter, over the whole history (collector: Answer).
 */
import { Hono } from "hono";
import type { TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import { turnsShown } from "../../ui/display/list-columns.ts";
import { parametersOf, queryOf, termsOf, unclearOf } from "../../ui/display/filter-terms.ts";
import { answersJson, principalOf, wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { pagingOf } from "../../http/paging.ts";
import { readParameters } from "../../http/parameters.ts";
import { respond } from "../../http/respond.tsx";
import { withTwin, pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { keysetOf, positionOf, usualOrder } from "../../turns/turn-position.ts";
import { knownNames } from "../../turns/free-text.ts";
import { sharedViews } from "../../turns/shared-views.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { FiguresPart, figuresOf } from "./figures.tsx";
import { turnsPage } from "./page.tsx";
import { turnsParameters } from "./turns-parameters.ts";

/** Body of `/traces/turns.json`. */
export interface TurnsModel {
  readonly items: readonly TurnRow[];
  readonly limit: number;
  readonly next_cursor: string | null;
  /** True when there was no cursor in the request, none in the page, and nothing is pending. */
  readonly window_complete: boolean;
  /**
   * Before the first page of the walk was read; later events may not be in it, and
   * `/traces/live?since=` has them.
   */
  readonly as_of: string;
  /** Batches that were acknowledged before this page was read and not readable then. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface TurnsAnswers {
  readonly "GET /traces/turns.json": TurnsModel;
}

/** Turns: what each route needs, records and answers. */
export const turnsGroup: RouteGroup<TurnsAnswers> = {
  tag: "Traces",
  rail: { order: 1, href: "/traces", name: "Turns", icon: "turns", key: "t" },
  endpoints: {
    ...withTwin(
      "/traces",
      {
        needs: "trace.read",
        audit: "turns.read",
        reads: true,
        id: "listTurns",
        summary: "Turns, newest first or in any order",
        query: turnsParameters,
        returns: "Rows of turns, with a cursor.",
        failures: pageFailures,
      },
      "/traces/turns.json",
    ),
  },
  routes: turnsRoutes,
};

/** GET `/traces` and `/traces/turns.json`. */
function turnsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/traces", "/traces/turns.json"], async (c) => {
    // What concerns the page only: a cursor serves any of them.
    const {
      chart,
      hide: _hide,
      show: _show,
      rows: _rows,
      ...parameters
    } = readParameters(c, turnsParameters);
    const sorted = wantsPage(c) ? sortedAddress(c) : undefined;
    if (sorted !== undefined) return c.redirect(sorted, 303);
    const { limit: requested, cursor: _cursor, sort, order, ...filters } = parameters;
    const by = sort ?? usualOrder.by;
    // A cursor belongs to its order, also where the request does not name it.
    const paging = await pagingOf(c, parts, { ...parameters, sort: by, view: "turns" });
    const { ledger } = parts.store;
    const names = await knownNames(ledger, paging.reading.scope, parameters.q);
    const reads = { typed: c.get("typed"), names, lenient: wantsPage(c) };
    const query = turnQueryOf(paging.reading, parameters, reads);
    const json = answersJson(c);
    const size = requested ?? (json ? limits.pageEventsDefault : turnsShown);
    // The JSON of the page has the page's rows.
    if (!json && requested === undefined) c.set("twinQuery", { limit: String(size) });
    const pending = await pendingFrames(parts);
    const { records, next } = await ledger.listTurns(
      { ...query, signal: c.req.raw.signal },
      {
        order: order === "ascending" ? { by, ascending: true } : { by },
        limit: size,
        ...(paging.after === undefined ? {} : { after: positionOf(paging.after) }),
      },
    );
    const isWhole = paging.after === undefined && next === null;
    // After the rows, for which it would make the store wait.
    const figures = wantsPage(c) ? figuresOf(c, parts, { ...filters, chart }) : undefined;
    const model: TurnsModel = {
      items: records.map(({ row }) => row),
      limit: size,
      // The cursor is the sort value and key of the last row, so it stays valid when that row is
      // deleted.
      next_cursor: await paging.seal(next === null ? null : keysetOf(next), undefined),
      window_complete: isWhole && (await isComplete(parts, pending, query)),
      as_of: paging.asOf,
      pending_frames: pending,
    };
    // The page alone shows them.
    const shared = wantsPage(c) ? await sharedViews(parts.store, principalOf(c)) : [];
    const { scope } = paging.reading;
    const bare =
      wantsPage(c) &&
      model.items.length === 0 &&
      (await ledger.countTurns({ scope, where: [], signal: c.req.raw.signal })) === 0;
    return respond(c, {
      model,
      view: (of, context) => turnsPage(of, context, { shared, bare }),
      later: async (context) => FiguresPart({ figures: await figures, context }),
    });
  });
  return app;
}

/** True for parameters that a principal bound to a tenant or an application is refused. */
function isOfOthers(
  c: AppContext,
  { user_id: user, application_id: application, scope }: Readonly<Record<string, string>>,
): boolean {
  const { userId, applicationId } = principalOf(c);
  const typed = c.get("typed");
  const tenant = user === undefined ? undefined : typed(user, "user_id");
  if (userId !== undefined && tenant !== undefined && tenant !== userId) return true;
  if (typeof userId === "string" && scope === "anonymous") return true;
  const owner = application === undefined ? undefined : typed(application, "application_id");
  return applicationId !== undefined && owner !== undefined && owner !== applicationId;
}

/**
 * Redirect target with the bar's terms sorted into parameters, unless they are already: the
 * store's own first.
 */
function sortedAddress(c: AppContext): string | undefined {
  const { pathname, searchParams } = new URL(c.req.url);
  const q = searchParams.get("q");
  if (q === null || q === "") return undefined;
  const unclear = unclearOf(searchParams);
  const terms = termsOf(searchParams);
  const sorted = parametersOf(terms, unclear);
  // A term with the tenant of others stays a term, which finds nothing, as on every other page.
  if (sorted["q"] === q || isOfOthers(c, sorted)) return undefined;
  return `${pathname}${queryOf(terms, searchParams, unclear)}`;
}
