/**
 * @module Threads: conversations by their id, over the newest turns in the asker's scope.
 */
import { Hono } from "hono";
import { compareTimes, findInsights } from "@turnproof/evidence";
import type { Insights, TurnEvent, TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { AppContext, AppEnv } from "../http/environment.ts";
import { respond } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { readParameters, readPathId } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { collectNewest } from "../window.ts";
import { evidenceRoots, groupOf, groupsParameters, readGroups } from "./agents.ts";
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
  /** What stands out over the window of this thread. */
  readonly insights: Insights;
  readonly evidence_roots: Readonly<Record<string, string>>;
  /** The newest events of all three stores, oldest first. */
  readonly timeline: { readonly events: readonly TurnEvent[]; readonly complete: boolean };
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
    const thread = c.get("typed")(readPathId(c, "thread_id"), "thread_id");
    const { rows, events, window } = await readGroups(c, parts, { thread_id: thread });
    const own = events.filter((event) => event.thread_id === thread);
    const insights = findInsights(own, { scope: "window" });
    const model: ThreadModel = {
      thread: threadOf(thread, rows, own),
      turns: rows,
      insights,
      evidence_roots: evidenceRoots(insights, own),
      timeline: await timelineOf(c, parts, thread),
      ...window,
    };
    return respond(c, { model, view: "thread" });
  });
  return app;
}

/** The three stores through one normalizer, in one order (requirements: Endpoints, rule 6). */
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
