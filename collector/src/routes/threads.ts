/**
 * @module Threads: conversations by their id, over the newest turns in the asker's scope.
 */
import { Hono } from "hono";
import type { TurnRow } from "@turnproof/evidence";

import type { AppEnv } from "../http/environment.ts";
import { respond } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { groupOf, readGroups } from "./agents.ts";
import type { GroupsWindow, TurnGroup } from "./agents.ts";

/** One thread; agents and users that wrote in it are listed, because that can be a finding. */
export interface ThreadSummary extends TurnGroup {
  readonly thread_id: string | null;
  readonly agent_ids: readonly string[];
  /** Tenants, with null for the anonymous; unattributed turns add nothing. */
  readonly user_ids: readonly (string | null)[];
}

/** Body of `/threads.json`. */
export interface ThreadsModel extends GroupsWindow {
  readonly items: readonly ThreadSummary[];
}

/** Body of `/threads/{thread_id}.json`: its turns, newest first. */
export interface ThreadModel extends GroupsWindow {
  readonly thread: ThreadSummary;
  readonly turns: readonly TurnRow[];
}

/** GET `/threads` and its twin, `/threads/{thread_id}` and its twin. */
export function threadsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/threads", "/threads.json"], async (c) => {
    const { rows, events, window } = await readGroups(c, parts, {});
    const byThread = Map.groupBy(rows, (row) => row.thread_id ?? null);
    const ofThread = Map.groupBy(events, (event) => event.thread_id ?? null);
    const items = [...byThread].map(([thread, own]) =>
      threadOf(thread, own, ofThread.get(thread) ?? []),
    );
    return respond<ThreadsModel>(c, { model: { items, ...window }, view: "threads" });
  });
  app.get("/threads/:thread_id", async (c) => {
    const thread = c.req.param("thread_id").replace(/\.json$/, "");
    const { rows, events, window } = await readGroups(c, parts, { thread_id: thread });
    const own = events.filter((event) => event.thread_id === thread);
    const model: ThreadModel = { thread: threadOf(thread, rows, own), turns: rows, ...window };
    return respond(c, { model, view: "thread" });
  });
  return app;
}

function threadOf(
  thread: string | null,
  rows: readonly TurnRow[],
  events: Parameters<typeof groupOf>[1],
): ThreadSummary {
  const users = rows.flatMap((row) => (row.user_id === undefined ? [] : [row.user_id]));
  return {
    thread_id: thread,
    agent_ids: [...new Set(rows.flatMap((row) => row.agent_id ?? []))].toSorted(),
    user_ids: [...new Set(users)],
    ...groupOf(rows, events),
  };
}
