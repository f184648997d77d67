/**
 * @module Threads: threads by their id, those of the newest turns in the principal's scope first,
 * each counted over all of its turns.
 */
import { Hono } from "hono";
import { isoOfMicros } from "@turnproof/store";
import type { Keyset, TurnCondition, TurnPlace, TurnQuestion, TurnReader } from "@turnproof/store";

import type { AppEnv } from "../../http/environment.ts";
import { respond } from "../../http/respond.tsx";
import { withTwin, pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import {
  requestFile,
  requestGroups,
  groupsFileParameters,
  groupsParameters,
  newestTurns,
  windowOf,
} from "../../turns/groups-request.ts";
import type { GroupsPlace, GroupsWindow } from "../../turns/groups-request.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { turnsShown } from "../../ui/display/list-columns.ts";
import { threadOf } from "../../turns/thread-summary.ts";
import type { ThreadSummary } from "../../turns/thread-summary.ts";
import { groupFields, turnGroups } from "../../turns/turn-groups.ts";
import { placeOf, usualOrder } from "../../turns/turn-place.ts";
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
      query: groupsParameters,
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
    const requested = await requestGroups(c, parts, {}, turnsShown);
    const { values, next } = await threadsOf(parts, requested);
    const named = await turnGroups(ledger, requested.question, "thread_id", values);
    const turns = await ledger.countTurns(requested.question);
    const window = await windowOf(requested, { turns, next });
    const model: ThreadsModel = { items: named.map(threadOf), ...window };
    return respond(c, { model, view: threadsPage });
  });
  mountFiles<ThreadSummary>(app, parts, {
    ...threadsFile,
    fields: { thread_id: "text", agent_ids: "texts", user_ids: "json", ...groupFields },
    async *pages(c) {
      const question = requestFile(c);
      let after: Keyset | undefined;
      for (;;) {
        const { values, next } = await threadsOf(parts, { question, limit: turnsAtOnce, after });
        yield (await turnGroups(ledger, question, "thread_id", values)).map(threadOf);
        if (next === null) return;
        after = next;
      }
    },
  });
  return app;
}

/** The threads of the newest turns that were on no earlier page; a page without any is skipped. */
async function threadsOf(
  parts: Parts,
  requested: GroupsPlace,
): Promise<{ readonly values: readonly (string | null)[]; readonly next: Keyset | null }> {
  let after = requested.after;
  for (;;) {
    const { records, next } = await newestTurns(parts, { ...requested, after });
    const met = [...new Set(records.map(({ row }) => row.thread_id || null))];
    const before = await metBefore(parts, { ...requested, after }, met);
    const values = met.filter((thread) => !before.has(thread));
    if (values.length > 0 || next === null) return { values, next };
    after = next;
  }
}

/** Turns of a file whose threads are read at once. */
const turnsAtOnce = 100;
/** Turns that are read at once. */
const readMax = 1_000;

/** The threads that were on an earlier page: they have a turn before this page. */
async function metBefore(
  parts: Parts,
  { question, after }: GroupsPlace,
  threads: readonly (string | null)[],
): Promise<ReadonlySet<string | null>> {
  const place = after === undefined ? undefined : placeOf(after);
  if (place === undefined || place.value === null || threads.length === 0) return new Set();
  const any: TurnCondition = { any: threads.map((is) => ({ text: "thread_id", is })) };
  const [from, to] = [isoOfMicros(place.value), isoOfMicros(place.value + 1)];
  const requested = (time: { readonly from: string; readonly to?: string }): TurnQuestion => ({
    ...question,
    where: [...question.where, any, { time: usualOrder.by, ...time }],
  });
  const { ledger } = parts.store;
  const [[later], together] = await Promise.all([
    ledger.turnFacets(requested({ from: to }), ["thread_id"], threads.length),
    threadsUpTo(ledger, requested({ from, to }), place.key),
  ]);
  return new Set([...(later?.values ?? []).map(({ value }) => value), ...together]);
}

/** The threads of the turns of one time up to a key; the greater key comes first. */
async function threadsUpTo(
  ledger: TurnReader,
  question: TurnQuestion,
  key: string,
): Promise<readonly (string | null)[]> {
  const threads: (string | null)[] = [];
  for (let after: TurnPlace | undefined; ;) {
    const { records, next } = await ledger.listTurns(question, {
      order: usualOrder,
      limit: readMax,
      ...(after === undefined ? {} : { after }),
    });
    const before = records.filter((record) => record.key >= key);
    threads.push(...before.map(({ row }) => row.thread_id || null));
    if (next === null || before.length < records.length) return threads;
    after = next;
  }
}
