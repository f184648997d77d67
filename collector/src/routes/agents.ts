/**
 * @module Agents: who left evidence, and how its tools, tokens and turns fare over the newest turns
 * in the asker's scope.
 */
import { Hono } from "hono";
import { z } from "zod";
import { countTools, countUsage, findInsights, toolResults } from "@turnproof/evidence";
import type { Insights, ToolCounts, TurnEvent, TurnRow, Usage } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import { faredOf } from "../display/trend.ts";
import type { TurnsFared } from "../display/trend.ts";
import { callHook } from "../hooks.ts";
import { principalOf } from "../http/environment.ts";
import type { AppContext, AppEnv } from "../http/environment.ts";
import { pagingOf } from "../http/paging.ts";
import { filters, readParameters, readPathId } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { respond } from "../http/respond.tsx";
import { placeOfRoot } from "../http/standing.ts";
import type { Parts } from "../parts.ts";
import { pendingFrames } from "../window.ts";
import { contextOf } from "./hooks.ts";
import { rowsOf, withVerdicts } from "./turn-reading.ts";

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

/** What a group of turns amounts to, over the window that was read. */
export interface TurnGroup extends Usage, TurnsFared {
  readonly turns_with_error: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly tools: ToolCounts;
  readonly models: readonly string[];
}

/** One agent. */
export interface AgentSummary extends TurnGroup {
  readonly agent_id: string | null;
  readonly application_ids: readonly string[];
  readonly threads: number;
}

/** The window that a list of groups rests on. */
export interface GroupsWindow {
  readonly turns_read: number;
  readonly limit: number;
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
  /** Batches that were acknowledged before the turns were read and were not readable then. */
  readonly pending_frames: number;
  readonly bounded: boolean;
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
  readonly turns: readonly TurnRow[];
  /** What stands out over the window of this agent. */
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
  app.on("GET", ["/agents", "/agents.json"], async (c) => {
    const read = await readGroups(c, parts, {});
    const byAgent = Map.groupBy(read.rows, (row) => row.agent_id ?? null);
    const items = [...byAgent].map(([agent, rows]) => agentOf(agent, rows, read.events));
    const model: AgentsModel = { items, mounted: await mountedAgents(c, parts), ...read.window };
    return respond(c, { model, view: "agents" });
  });
  app.get("/agents/:agent_id", async (c) => {
    const agent = c.get("typed")(readPathId(c, "agent_id"), "agent_id");
    const read = await readGroups(c, parts, { agent_id: agent });
    const own = read.events.filter((event) => event.agent_id === agent);
    const insights = findInsights(own, { scope: "window" });
    const model: AgentModel = {
      agent: agentOf(agent, read.rows, read.events),
      turns: read.rows,
      insights,
      evidence_roots: evidenceRoots(insights, own),
      tools_by_name: toolsByName(own),
      mounted: await mountedAgents(c, parts),
      ...read.window,
    };
    return respond(c, { model, view: "agent" });
  });
  return app;
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

function toolsByName(events: readonly TurnEvent[]): Readonly<Record<string, ToolCounts>> {
  const calls = toolResults(events).filter((event) => event.attributes.tool_name !== undefined);
  const byName = Map.groupBy(calls, (event) => event.attributes.tool_name ?? "");
  const counted = [...byName].map(([name, own]) => [name, countTools(own)] as const);
  return Object.fromEntries(counted.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The newest turns under the parameters, and what is said of the window. */
export async function readGroups(
  c: AppContext,
  parts: Parts,
  fixed: { readonly agent_id?: string; readonly thread_id?: string },
): Promise<{
  readonly rows: readonly TurnRow[];
  readonly events: readonly TurnEvent[];
  readonly window: GroupsWindow;
}> {
  const parameters = { ...readParameters(c, groupsParameters), ...fixed };
  const limit = parameters.limit ?? limits.pageEventsDefault;
  const reading = readingFor(c, parameters);
  const paging = await pagingOf(c, parts, { ...parameters, view: "groups" }, reading);
  const pending = await pendingFrames(parts);
  const slice = await parts.store.turns(reading.scope, reading.query, {
    limit,
    signal: c.req.raw.signal,
    ...(paging.after === undefined ? {} : { after: paging.after }),
  });
  const verdicts = await parts.store.verdicts(reading.scope, slice.roots);
  const rows = withVerdicts(rowsOf(slice.events, reading.query, slice.roots), verdicts);
  return {
    rows,
    events: slice.events,
    window: {
      turns_read: rows.length,
      limit,
      next_cursor: await paging.seal(slice.next, placeOfRoot(slice.roots.at(-1))),
      window_complete:
        pending === 0 && paging.after === undefined && slice.next === null && !slice.bounded,
      bounded: slice.bounded,
      pending_frames: pending,
    },
  };
}

function agentOf(
  agent: string | null,
  rows: readonly TurnRow[],
  events: readonly TurnEvent[],
): AgentSummary {
  const own = events.filter((event) => (event.agent_id ?? null) === agent);
  return {
    agent_id: agent,
    application_ids: [...new Set(rows.flatMap((row) => row.application_id ?? []))].toSorted(),
    threads: new Set(rows.flatMap((row) => row.thread_id ?? [])).size,
    ...groupOf(rows, own),
  };
}

/** Sums of a group of turns and their events. */
export function groupOf(rows: readonly TurnRow[], events: readonly TurnEvent[]): TurnGroup {
  const starts = rows.map((row) => row.started_at).toSorted();
  const ends = rows.map((row) => row.ended_at).toSorted();
  return {
    ...faredOf(rows),
    turns_with_error: rows.filter((row) => row.has_error).length,
    first_at: starts[0] ?? "",
    last_at: ends.at(-1) ?? "",
    tools: countTools(events),
    models: [...new Set(rows.flatMap((row) => row.models))].toSorted(),
    ...countUsage(events),
  };
}
