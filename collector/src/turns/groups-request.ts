/**
 * @module GroupsRequest: parameters and pages of the lists of agents and threads, and the turns of
 * one of them.
 */
import { z } from "zod";
import type { Insights, TurnEvent } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { Identity } from "@turnproof/semconv";
import { groupOrderFields } from "@turnproof/store";
import type { GroupOrder, Keyset, TurnQuery, TurnRecord } from "@turnproof/store";

import type { Reading } from "../access/grants.ts";
import { answersJson } from "../http/environment.ts";
import type { AppContext } from "../http/environment.ts";
import { pagingOf } from "../http/paging.ts";
import type { Paging } from "../http/paging.ts";
import { filters, readParameters } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import type { Parts } from "../parts.ts";
import { turnQueryOf } from "./turn-conditions.ts";
import { turnsShown } from "../ui/display/list-columns.ts";
import { orderParameter } from "./rows-in-order.ts";
import { keysetOf, positionOf, usualOrder } from "./turn-position.ts";
import { isComplete, pendingFrames } from "./window.ts";

const { application_id, user_id, scope, agent_id, thread_id, start_time, end_time } = filters;

/** Parameters of the pages of one agent or thread. */
export const groupsParameters = z
  .strictObject({
    application_id,
    user_id,
    scope,
    agent_id,
    thread_id,
    start_time,
    end_time,
    limit: filters.limit,
    cursor: filters.cursor,
  })
  .partial();

/** Those of the lists, which are sorted by their columns. */
export const groupListParameters = groupsParameters.extend({
  sort: z
    .enum(groupOrderFields)
    .describe(
      "What the list is ordered by, over all of its rows; default `last`, the latest turn. `value` is " +
        "the id, by the bytes of UTF-8; `failed_share` failed turns among the judged ones, " +
        "`tool_failed` failed results of tools, `tokens` input and output. Unknown figures and turns without an id come last in both directions.",
    )
    .optional(),
  order: orderParameter,
});

/** Those of their files, which have every page. */
export const groupsFileParameters = groupListParameters.omit({ limit: true, cursor: true });

/** Turns behind a list of groups. */
export interface GroupsWindow {
  /** All turns of the filter. */
  readonly turns_counted: number;
  readonly limit: number;
  readonly next_cursor: string | null;
  /** True when this is the only page, nothing is pending, and its turns were read whole. */
  readonly window_complete: boolean;
  /** Batches that were acknowledged before the turns were counted and not readable then. */
  readonly pending_frames: number;
}

/** Root of each event that insights over many roots name. */
export function evidenceRoots(
  { insights }: Insights,
  events: readonly TurnEvent[],
): Readonly<Record<string, string>> {
  const named = new Set(insights.flatMap((insight) => insight.evidence_ids));
  return Object.fromEntries(
    events.flatMap(({ event_id, root_trace_id: root }) =>
      named.has(event_id) && root !== undefined ? [[event_id, root] as const] : [],
    ),
  );
}

/** A page of groups. */
export interface GroupsPlace {
  readonly query: TurnQuery;
  readonly limit: number;
  /** Default: those with the latest turn first. */
  readonly order?: GroupOrder;
  /** Start of the page; undefined at the newest. */
  readonly after: Keyset | undefined;
}

/** A request for groups. */
export interface GroupsRequest extends GroupsPlace {
  readonly reading: Reading;
  readonly paging: Paging;
  readonly pending: number;
  readonly settled: boolean;
}

/** Parses a request for a list of groups, in its order. */
export function requestGroupList(c: AppContext, parts: Parts): Promise<GroupsRequest> {
  const { sort, order, ...parameters } = readParameters(c, groupListParameters);
  return requested(c, parts, { ...parameters, order, sort: sort ?? "last" }, turnsShown);
}

/** Parses a request for the turns of one group. @param pageMax rows of a page without a limit */
export function requestGroups(
  c: AppContext,
  parts: Parts,
  fixed: Partial<Pick<Identity, "agent_id" | "thread_id">>,
  pageMax?: number,
): Promise<GroupsRequest> {
  const parameters = { ...readParameters(c, groupsParameters), ...fixed };
  return requested(c, parts, { ...parameters, sort: usualOrder.by }, pageMax);
}

type GroupsParameters = z.output<typeof groupsParameters> & {
  readonly sort: string;
  readonly order?: "descending" | "ascending" | undefined;
};

async function requested(
  c: AppContext,
  parts: Parts,
  parameters: GroupsParameters,
  pageMax?: number,
): Promise<GroupsRequest> {
  // A cursor belongs to its order, also where the request does not name it.
  const paging = await pagingOf(c, parts, { ...parameters, view: "groups" });
  const json = answersJson(c);
  // A client that takes any type gets the page, too.
  const shown = json ? limits.pageEventsDefault : (pageMax ?? limits.pageEventsDefault);
  // The JSON of the page has the page's rows.
  if (!json && parameters.limit === undefined) c.set("twinQuery", { limit: String(shown) });
  const { reading } = paging;
  const pending = await pendingFrames(parts);
  const query = { ...turnQueryOf(reading), signal: c.req.raw.signal };
  return {
    reading,
    query,
    limit: parameters.limit ?? shown,
    ...orderOf(parameters),
    paging,
    after: paging.after,
    pending,
    settled: await isComplete(parts, pending, query),
  };
}

function orderOf({
  sort,
  order,
}: Pick<GroupsParameters, "sort" | "order">): Pick<GroupsPlace, "order"> {
  const by = groupOrderFields.find((field) => field === sort);
  return by === undefined ? {} : { order: { by, ascending: order === "ascending" } };
}

/** Parses a request for a file of groups. */
export function requestFile(c: AppContext): Pick<GroupsPlace, "query" | "order"> {
  const { sort = "last", order, ...parameters } = readParameters(c, groupsFileParameters);
  const reading = readingFor(c, parameters);
  const query = { ...turnQueryOf(reading), signal: c.req.raw.signal };
  return { query, ...orderOf({ sort, order }) };
}

/** The page of the newest turns. */
export async function newestTurns(
  parts: Parts,
  { query, limit, after }: GroupsPlace,
): Promise<{ readonly records: readonly TurnRecord[]; readonly next: Keyset | null }> {
  const { records, next } = await parts.store.ledger.listTurns(query, {
    order: usualOrder,
    limit,
    ...(after === undefined ? {} : { after: positionOf(after) }),
  });
  return { records, next: next === null ? null : keysetOf(next) };
}

/** The window of a page of groups. @param whole false where events of its turns were left out */
export async function windowOf(
  { limit, paging, pending, settled }: GroupsRequest,
  {
    turns,
    next,
    whole = true,
  }: { readonly turns: number; readonly next: Keyset | null; readonly whole?: boolean },
): Promise<GroupsWindow> {
  return {
    turns_counted: turns,
    limit,
    next_cursor: await paging.seal(next, undefined),
    window_complete: whole && settled && paging.after === undefined && next === null,
    pending_frames: pending,
  };
}
