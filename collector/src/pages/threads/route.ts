/**
 * @module Threads: threads by their id, those with the latest turn first or in another order, each
 * over all of its turns.
 */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import { respond } from "../../http/respond.tsx";
import { withTwin, pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import {
  requestFile,
  requestGroupList,
  groupsFileParameters,
  groupListParameters,
  windowOf,
} from "../../turns/groups-request.ts";
import type { GroupsWindow } from "../../turns/groups-request.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { threadOf } from "../../turns/thread-summary.ts";
import type { ThreadSummary } from "../../turns/thread-summary.ts";
import { groupFields, groupsPage, groupsPages } from "../../turns/turn-groups.ts";
import { threadsPage } from "./page.tsx";

/** Body of `/threads.json`. */
export interface ThreadsModel extends GroupsWindow {
  readonly items: readonly ThreadSummary[];
}

/** Its JSON, by route. */
export interface ThreadsAnswers {
  readonly "GET /threads.json": ThreadsModel;
}

const threadsFile = {
  path: "/threads",
  name: "threads",
  rows: "threads",
  query: groupsFileParameters,
} as const;

/** Threads: what each route needs, records and answers. */
export const threadsGroup: RouteGroup<ThreadsAnswers> = {
  tag: "Threads",
  rail: { order: 2, href: "/threads", name: "Threads", icon: "threads", key: "d" },
  endpoints: {
    ...withTwin("/threads", {
      needs: "trace.read",
      audit: "threads.read",
      reads: true,
      id: "listThreads",
      summary: "Threads, each over all of its turns",
      query: groupListParameters,
      returns: "A page of threads, each with the counts and sums of its turns.",
      failures: pageFailures,
    }),
    ...fileEndpoints(threadsFile),
  },
  routes: threadsRoutes,
};

/** GET `/threads` and its twin. */
function threadsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  app.on("GET", ["/threads", "/threads.json"], async (c) => {
    const requested = await requestGroupList(c, parts);
    const [{ groups, next }, turns] = await Promise.all([
      groupsPage(ledger, "thread_id", requested),
      ledger.countTurns(requested.query),
    ]);
    const window = await windowOf(requested, { turns, next });
    const model: ThreadsModel = { items: groups.map(threadOf), ...window };
    return respond(c, { model, view: threadsPage });
  });
  mountFiles<ThreadSummary>(app, parts, {
    ...threadsFile,
    fields: { thread_id: "text", agent_ids: "texts", user_ids: "json", ...groupFields },
    async *pages(c) {
      for await (const groups of groupsPages(ledger, "thread_id", requestFile(c))) {
        yield groups.map(threadOf);
      }
    },
  });
  return app;
}
