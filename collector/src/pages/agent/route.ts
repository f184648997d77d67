/**
 * @module Agent: one agent over all of its turns, and the newest of them.
 */
import { limits } from "@turnproof/semconv";
import { Hono } from "hono";
import { findInsights } from "@turnproof/evidence";
import type { Insights, ToolCounts, TurnRow } from "@turnproof/evidence";

import { mountedAgents } from "../../hooks/agent-list.ts";
import { answersJson } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters, readPathId } from "../../http/parameters.ts";
import { respond } from "../../http/respond.tsx";
import { pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { countedTrend } from "../../turns/counted-trend.ts";
import type { TrendModel } from "../../turns/counted-trend.ts";
import { countingOf } from "../../turns/counted-turns.ts";
import { agentOf } from "../../turns/agent-summary.ts";
import type { AgentSummary } from "../../turns/agent-summary.ts";
import {
  requestGroups,
  evidenceRoots,
  groupsParameters,
  newestTurns,
  windowOf,
} from "../../turns/groups-request.ts";
import type { GroupsWindow } from "../../turns/groups-request.ts";
import { toolsByName, groupOf } from "../../turns/turn-groups.ts";
import { eventsOf } from "../../turns/turn-reading.ts";
import { agentPage } from "./page.tsx";

/** Body of `/agents/{agent_id}.json`. */
export interface AgentModel extends GroupsWindow {
  readonly agent: AgentSummary;
  /** The newest turns; figures cover all. */
  readonly turns: readonly TurnRow[];
  /** Insights over these turns of the agent. */
  readonly insights: Insights;
  /** Root trace of each event in an insight. */
  readonly evidence_roots: Readonly<Record<string, string>>;
  /** Tool outcomes by tool name. */
  readonly tools_by_name: Readonly<Record<string, ToolCounts>>;
  readonly mounted: readonly string[] | null;
}

/** Its JSON, by route. */
export interface AgentAnswers {
  readonly "GET /agents/:agent_id": AgentModel;
}

/** Agent: what each route needs, records and answers. */
export const agentGroup: RouteGroup<AgentAnswers> = {
  tag: "Agents",
  endpoints: {
    "GET /agents/:agent_id": {
      needs: "trace.read",
      audit: "agent.read",
      reads: true,
      id: "getAgent",
      summary: "One agent over all of its turns, and the newest of them",
      query: groupsParameters,
      returns: "The agent and its turns.",
      failures: pageFailures,
    },
  },
  routes: agentRoutes,
};

/** GET `/agents/{agent_id}` and its twin. */
function agentRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  app.get("/agents/:agent_id", async (c) => {
    const agent = c.get("typed")(readPathId(c, "agent_id"), "agent_id");
    const requested = await requestGroups(c, parts, { agent_id: agent });
    // The page alone shows it.
    const trend = answersJson(c) ? undefined : trendOf(c, parts, agent);
    const [{ records, next }, counted] = await Promise.all([newestTurns(parts, requested), trend]);
    const { scope } = requested.reading;
    const most = limits.pageRootEventsMax;
    const { events, complete: whole } = await eventsOf(parts, scope, records, most);
    const own = events.filter((event) => event.agent_id === agent);
    const insights = findInsights(own, { scope: "window" });
    const { query } = requested;
    const named = await groupOf(ledger, "agent_id", { query, value: agent });
    const model: AgentModel = {
      agent: agentOf(named),
      turns: records.map(({ row }) => row),
      insights,
      evidence_roots: evidenceRoots(insights, own),
      tools_by_name: await toolsByName(ledger, requested.query),
      mounted: await mountedAgents(c, parts),
      ...(await windowOf(requested, { turns: named.group.turns, next, whole })),
    };
    return respond(c, { model, view: (of, context) => agentPage(of, context, counted) });
  });
  return app;
}

/** The trend of all turns of the agent that pass the filters of the address. */
async function trendOf(c: AppContext, parts: Parts, agent: string): Promise<TrendModel> {
  const { limit: _limit, cursor: _cursor, ...filters } = readParameters(c, groupsParameters);
  return countedTrend(parts, await countingOf(c, parts, { ...filters, agent_id: agent }));
}
