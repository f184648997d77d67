/**
 * @module Threads: conversations by their id, those of the newest turns in the asker's scope first,
 * each counted over all of its turns.
 */
import { Hono } from "hono";
import { compareTimes, findInsights } from "@turnproof/evidence";
import type { Insights, TurnEvent, TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import { isoOfMicros } from "@turnproof/store";
import type { Keyset, TurnCondition, TurnQuestion } from "@turnproof/store";

import type { AppContext, AppEnv } from "../../http/environment.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { readParameters, readPathId } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { collectNewest } from "../../turns/window.ts";
import { turnGroups } from "../../turns/turn-groups.ts";
import type { NamedGroup, TurnGroup } from "../../turns/turn-groups.ts";
import {
  askGroups,
  evidenceRoots,
  groupsParameters,
  newestTurns,
  windowOf,
} from "../agents/route.ts";
import type { GroupsAsked, GroupsWindow } from "../agents/route.ts";
import { eventsOf } from "../../turns/turn-reading.ts";
import { placeOf } from "../turns/route.ts";

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
  /** What stands out over these turns of the thread. */
  readonly insights: Insights;
  readonly evidence_roots: Readonly<Record<string, string>>;
  /** The newest events of all three stores, oldest first. */
  readonly timeline: { readonly events: readonly TurnEvent[]; readonly complete: boolean };
}

/** GET `/threads` and its twin, `/threads/{thread_id}` and its twin. */
export function threadsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  app.on("GET", ["/threads", "/threads.json"], async (c) => {
    const asked = await askGroups(c, parts, {});
    const { values, next } = await threadsOf(parts, asked);
    const named = await turnGroups(ledger, asked.question, "thread_id", values);
    const turns = await ledger.countTurns(asked.question);
    const window = await windowOf(asked, { turns, next });
    const model: ThreadsModel = { items: named.map(threadOf), ...window };
    return respond(c, { model, view: "threads" });
  });
  app.get("/threads/:thread_id", async (c) => {
    const thread = c.get("typed")(readPathId(c, "thread_id"), "thread_id");
    const asked = await askGroups(c, parts, { thread_id: thread });
    const { records, next } = await newestTurns(parts, asked);
    const { events } = await eventsOf(parts, asked.reading.scope, records);
    const own = events.filter((event) => event.thread_id === thread);
    const insights = findInsights(own, { scope: "window" });
    const [named] = await turnGroups(ledger, asked.question, "thread_id", [thread]);
    const model: ThreadModel = {
      thread: threadOf(named as NamedGroup),
      turns: records.map(({ row }) => row),
      insights,
      evidence_roots: evidenceRoots(insights, own),
      timeline: await timelineOf(c, parts, thread),
      ...(await windowOf(asked, { turns: named?.group.turns ?? 0, next })),
    };
    return respond(c, { model, view: "thread" });
  });
  return app;
}

/** The threads of the newest turns that stand on no page before; a page without one is passed by. */
async function threadsOf(
  parts: Parts,
  asked: GroupsAsked,
): Promise<{ readonly values: readonly (string | null)[]; readonly next: Keyset | null }> {
  let after = asked.after;
  for (;;) {
    const { records, next } = await newestTurns(parts, { ...asked, after });
    const met = [...new Set(records.map(({ row }) => row.thread_id || null))];
    const before = await metBefore(parts, { ...asked, after }, met);
    const values = met.filter((thread) => !before.has(thread));
    if (values.length > 0 || next === null) return { values, next };
    after = next;
  }
}

/** Turns that were received together with the last one of the page before. */
const togetherMax = 10_000;

/**
 * Of these threads those that stand on a page before: they have a turn that comes before this page.
 */
async function metBefore(
  parts: Parts,
  { question, after }: GroupsAsked,
  threads: readonly (string | null)[],
): Promise<ReadonlySet<string | null>> {
  const place = after === undefined ? undefined : placeOf(after);
  if (place === undefined || place.value === null || threads.length === 0) return new Set();
  const any: TurnCondition = { any: threads.map((is) => ({ text: "thread_id", is })) };
  const [from, to] = [isoOfMicros(place.value), isoOfMicros(place.value + 1)];
  const asked = (time: { readonly from: string; readonly to?: string }): TurnQuestion => ({
    ...question,
    where: [...question.where, any, { time: "first_received", ...time }],
  });
  const { ledger } = parts.store;
  const [[later], { records }] = await Promise.all([
    ledger.turnFacets(asked({ from: to }), ["thread_id"], threads.length),
    ledger.listTurns(asked({ from, to }), { order: { by: "first_received" }, limit: togetherMax }),
  ]);
  // Turns of one receipt stand by their key, the greater first.
  const together = records.filter(({ key }) => key >= place.key);
  return new Set([
    ...(later?.values ?? []).map(({ value }) => value),
    ...together.map(({ row }) => row.thread_id || null),
  ]);
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

function threadOf({ value, group, names }: NamedGroup): ThreadSummary {
  const { agent_ids, user_ids } = names;
  return { thread_id: value, agent_ids, user_ids, ...group };
}
