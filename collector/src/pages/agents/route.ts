/**
 * @module Agents: who left evidence, and how its tools, tokens and turns fare, over all turns in
 * the asker's scope.
 */
import { Hono } from "hono";
import { z } from "zod";
import { findInsights } from "@turnproof/evidence";
import type { Insights, ToolCounts, TurnEvent, TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { FigureGroup, Keyset, TurnQuestion, TurnRecord } from "@turnproof/store";

import type { Reading } from "../../access/grants.ts";
import { callHook } from "../../hooks/hooks.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { pagingOf } from "../../http/paging.ts";
import type { Paging } from "../../http/paging.ts";
import { filters, readParameters, readPathId } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { turnQuestion } from "../../turns/turn-conditions.ts";
import { toolsByName, turnGroups } from "../../turns/turn-groups.ts";
import type { NamedGroup, TurnGroup } from "../../turns/turn-groups.ts";
import { pendingFrames } from "../../turns/window.ts";
import { contextOf } from "../accounts/route.ts";
import { eventsOf } from "../../turns/turn-reading.ts";
import { keysetOf, placeOf } from "../turns/route.ts";

const { application_id, user_id, scope, agent_id, thread_id, start_time, end_time } = filters;

/** Parameters of the lists of agents and threads. */
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

/** One agent. */
export interface AgentSummary extends TurnGroup {
  readonly agent_id: string | null;
  readonly application_ids: readonly string[];
  readonly threads: number;
}

/** What a list of groups rests on. */
export interface GroupsWindow {
  /** Turns of the filter, all of them. */
  readonly turns_counted: number;
  readonly limit: number;
  readonly next_cursor: string | null;
  /** True when this is the only page and nothing is pending. */
  readonly window_complete: boolean;
  /** Batches that were acknowledged before the turns were counted and were not readable then. */
  readonly pending_frames: number;
}

/** Body of `/agents.json`. */
export interface AgentsModel extends GroupsWindow {
  readonly items: readonly AgentSummary[];
  /** Agents that the host mounted; null where none can be, or where it did not answer. */
  readonly mounted: readonly string[] | null;
}

/** Body of `/agents/{agent_id}.json`. */
export interface AgentModel extends GroupsWindow {
  readonly agent: AgentSummary;
  /** The newest turns; figures are of all. */
  readonly turns: readonly TurnRow[];
  /** What stands out over these turns of the agent. */
  readonly insights: Insights;
  /** Root trace of each event that an insight names. */
  readonly evidence_roots: Readonly<Record<string, string>>;
  /** Tool outcomes by tool name. */
  readonly tools_by_name: Readonly<Record<string, ToolCounts>>;
  readonly mounted: readonly string[] | null;
}

/** GET `/agents` and its twin, `/agents/{agent_id}` and its twin. */
export function agentsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  app.on("GET", ["/agents", "/agents.json"], async (c) => {
    const asked = await askGroups(c, parts, {});
    const { question, limit, paging } = asked;
    const groups = (await ledger.turnFigures(question, { by: "agent_id" }))
      .map((group) => ({ group, place: agentPlace(group) }))
      .toSorted((a, b) => comparePlaces(a.place, b.place));
    const left = groups.filter(({ place }) => isAfter(place, paging.after));
    const page = left.slice(0, limit);
    const values = page.map(({ group }) => group.value ?? null);
    const named = await turnGroups(ledger, question, "agent_id", values);
    const last = left.length > limit ? page.at(-1)?.place : undefined;
    const model: AgentsModel = {
      items: named.map(agentOf),
      mounted: await mountedAgents(c, parts),
      ...(await windowOf(asked, {
        turns: groups.reduce((sum, { group }) => sum + group.turns, 0),
        next: last === undefined ? null : { ...last },
      })),
    };
    return respond(c, { model, view: "agents" });
  });
  app.get("/agents/:agent_id", async (c) => {
    const agent = c.get("typed")(readPathId(c, "agent_id"), "agent_id");
    const asked = await askGroups(c, parts, { agent_id: agent });
    const { records, next } = await newestTurns(parts, asked);
    const { events } = await eventsOf(parts, asked.reading.scope, records);
    const own = events.filter((event) => event.agent_id === agent);
    const insights = findInsights(own, { scope: "window" });
    const [named] = await turnGroups(ledger, asked.question, "agent_id", [agent]);
    const model: AgentModel = {
      agent: agentOf(named as NamedGroup),
      turns: records.map(({ row }) => row),
      insights,
      evidence_roots: evidenceRoots(insights, own),
      tools_by_name: await toolsByName(ledger, asked.question),
      mounted: await mountedAgents(c, parts),
      ...(await windowOf(asked, { turns: named?.group.turns ?? 0, next })),
    };
    return respond(c, { model, view: "agent" });
  });
  return app;
}

/** The order of agents: by their last event, the latest first. */
interface AgentPlace {
  readonly value: number;
  readonly key: string;
}

function agentPlace({ value, last_at: last }: FigureGroup): AgentPlace {
  return { value: last ?? 0, key: JSON.stringify(value ?? null) };
}

function comparePlaces(a: AgentPlace, b: AgentPlace): number {
  return b.value - a.value || (a.key < b.key ? -1 : Number(a.key > b.key));
}

function isAfter(place: AgentPlace, after: Keyset | undefined): boolean {
  if (after === undefined) return true;
  return comparePlaces({ value: Number(after["value"]), key: String(after["key"]) }, place) < 0;
}

/** Where the events stand that insights over many roots name. */
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

/** A list is worth no failure: a host that does not answer mounts nobody. */
async function mountedAgents(c: AppContext, parts: Parts): Promise<readonly string[] | null> {
  const { agents } = parts.hooks;
  if (agents === undefined) return null;
  try {
    return await callHook((signal) => agents.list(contextOf(principalOf(c), signal)));
  } catch {
    return null;
  }
}

/** A request for groups. */
export interface GroupsAsked {
  readonly reading: Reading;
  readonly question: TurnQuestion;
  readonly limit: number;
  readonly paging: Paging;
  /** Where the page begins; undefined at the newest. */
  readonly after: Keyset | undefined;
  readonly pending: number;
}

/** Reads the parameters of a request for groups. */
export async function askGroups(
  c: AppContext,
  parts: Parts,
  fixed: { readonly agent_id?: string; readonly thread_id?: string },
): Promise<GroupsAsked> {
  const parameters = { ...readParameters(c, groupsParameters), ...fixed };
  const reading = readingFor(c, parameters);
  const paging = await pagingOf(c, parts, { ...parameters, view: "groups" }, reading);
  return {
    reading,
    question: { ...turnQuestion(reading), signal: c.req.raw.signal },
    limit: parameters.limit ?? limits.pageEventsDefault,
    paging,
    after: paging.after,
    pending: await pendingFrames(parts),
  };
}

/** The page of the newest turns. */
export async function newestTurns(
  parts: Parts,
  { question, limit, after }: GroupsAsked,
): Promise<{ readonly records: readonly TurnRecord[]; readonly next: Keyset | null }> {
  const { records, next } = await parts.store.ledger.listTurns(question, {
    order: { by: "first_received" },
    limit,
    ...(after === undefined ? {} : { after: placeOf(after) }),
  });
  return { records, next: next === null ? null : keysetOf(next) };
}

/** What is said of a page of groups. */
export async function windowOf(
  { limit, paging, pending }: GroupsAsked,
  { turns, next }: { readonly turns: number; readonly next: Keyset | null },
): Promise<GroupsWindow> {
  return {
    turns_counted: turns,
    limit,
    next_cursor: await paging.seal(next, undefined),
    window_complete: pending === 0 && paging.after === undefined && next === null,
    pending_frames: pending,
  };
}

function agentOf({ value, group, names }: NamedGroup): AgentSummary {
  const { application_ids, threads } = names;
  return { agent_id: value, application_ids, threads, ...group };
}
