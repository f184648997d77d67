/**
 * @module Thread: one conversation: its turns, newest first, and the newest events of all stores.
 */
import { Hono } from "hono";
import { findInsights } from "@turnproof/evidence";
import type { Insights, TurnEvent, TurnRow } from "@turnproof/evidence";
import { compareTimes, limits } from "@turnproof/semconv";

import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters, readPathId } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import {
  requestGroups,
  evidenceRoots,
  groupsParameters,
  newestTurns,
  windowOf,
} from "../../turns/groups-request.ts";
import type { GroupsWindow } from "../../turns/groups-request.ts";
import { threadOf } from "../../turns/thread-summary.ts";
import type { ThreadSummary } from "../../turns/thread-summary.ts";
import { groupOf } from "../../turns/turn-groups.ts";
import { eventsOf } from "../../turns/turn-reading.ts";
import { collectNewest } from "../../turns/window.ts";
import { threadPage } from "./page.tsx";

/** Body of `/threads/{thread_id}.json`: its turns, newest first. */
export interface ThreadModel extends GroupsWindow {
  readonly thread: ThreadSummary;
  readonly turns: readonly TurnRow[];
  /** Insights over these turns of the thread. */
  readonly insights: Insights;
  readonly evidence_roots: Readonly<Record<string, string>>;
  /** The newest events of all three stores, oldest first. */
  readonly timeline: { readonly events: readonly TurnEvent[]; readonly complete: boolean };
}

/** Its JSON, by route. */
export interface ThreadAnswers {
  readonly "GET /threads/:thread_id": ThreadModel;
}

/** Turns side by side on the page without a limit. */
const turnsShown = 12;

/** Thread: what each route needs, records and answers. */
export const threadGroup: RouteGroup<ThreadAnswers> = {
  tag: "Threads",
  endpoints: {
    "GET /threads/:thread_id": {
      needs: "trace.read",
      audit: "thread.read",
      reads: true,
      id: "getThread",
      summary: "One thread and its turns",
      query: groupsParameters,
      returns: "The thread and its turns.",
      failures: pageFailures,
    },
  },
  routes: threadRoutes,
};

/** GET `/threads/{thread_id}` and its twin. */
function threadRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  app.get("/threads/:thread_id", async (c) => {
    const thread = c.get("typed")(readPathId(c, "thread_id"), "thread_id");
    const requested = await requestGroups(c, parts, { thread_id: thread }, turnsShown);
    const { records, next } = await newestTurns(parts, requested);
    const { scope } = requested.reading;
    const most = limits.pageRootEventsMax;
    const { events, complete: whole } = await eventsOf(parts, scope, records, most);
    const own = events.filter((event) => event.thread_id === thread);
    const insights = findInsights(own, { scope: "window" });
    const { query } = requested;
    const named = await groupOf(ledger, "thread_id", { query, value: thread });
    const model: ThreadModel = {
      thread: threadOf(named),
      turns: records.map(({ row }) => row),
      insights,
      evidence_roots: evidenceRoots(insights, own),
      timeline: await timelineOf(c, parts, thread),
      ...(await windowOf(requested, { turns: named.group.turns, next, whole })),
    };
    return respond(c, { model, view: threadPage });
  });
  return app;
}

/** The three stores through one normalizer, in one order (requirements: Endpoints 6). */
async function timelineOf(
  c: AppContext,
  parts: Parts,
  thread: string,
): Promise<ThreadModel["timeline"]> {
  const { limit: _limit, cursor: _cursor, ...narrowed } = readParameters(c, groupsParameters);
  const reading = readingFor(c, { ...narrowed, thread_id: thread, store: "all" });
  const { events, complete } = await collectNewest(parts, reading, limits.healthRowsMax);
  return { events: events.toSorted((a, b) => compareTimes(a.timestamp, b.timestamp)), complete };
}
