/**
 * @module Agents: agents with evidence, and figures of their tools, tokens and turns, over all
 * turns in the principal's scope.
 */
import { Hono } from "hono";

import { mountedAgents } from "../../hooks/agent-list.ts";
import type { AppEnv } from "../../http/environment.ts";
import { respond } from "../../http/respond.tsx";
import { withTwin, pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { agentOf } from "../../turns/agent-summary.ts";
import type { AgentSummary } from "../../turns/agent-summary.ts";
import {
  requestFile,
  requestGroupList,
  groupsFileParameters,
  groupListParameters,
  windowOf,
} from "../../turns/groups-request.ts";
import type { GroupsWindow } from "../../turns/groups-request.ts";
import { groupFields, groupsPage, groupsPages } from "../../turns/turn-groups.ts";
import { agentsPage } from "./page.tsx";

/** Body of `/agents.json`. */
export interface AgentsModel extends GroupsWindow {
  readonly items: readonly AgentSummary[];
  /** Agents that the host mounted; null without the hook, or when it did not answer. */
  readonly mounted: readonly string[] | null;
}

/** Its JSON, by route. */
export interface AgentsAnswers {
  readonly "GET /agents.json": AgentsModel;
}

const agentsFile = {
  path: "/agents",
  name: "agents",
  rows: "agents",
  query: groupsFileParameters,
} as const;

/** Agents: what each route needs, records and answers. */
export const agentsGroup: RouteGroup<AgentsAnswers> = {
  tag: "Agents",
  rail: { order: 3, href: "/agents", name: "Agents", icon: "agents", key: "a" },
  endpoints: {
    ...withTwin("/agents", {
      needs: "trace.read",
      audit: "agents.read",
      reads: true,
      id: "listAgents",
      summary: "Agents, each over all of its turns",
      query: groupListParameters,
      returns: "One row per agent.",
      failures: pageFailures,
    }),
    ...fileEndpoints(agentsFile),
  },
  routes: agentsRoutes,
};

/** GET `/agents` and its twin. */
function agentsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  app.on("GET", ["/agents", "/agents.json"], async (c) => {
    const requested = await requestGroupList(c, parts);
    const [{ groups, next }, turns] = await Promise.all([
      groupsPage(ledger, "agent_id", requested),
      ledger.countTurns(requested.query),
    ]);
    const model: AgentsModel = {
      items: groups.map(agentOf),
      mounted: await mountedAgents(c, parts),
      ...(await windowOf(requested, { turns, next })),
    };
    return respond(c, { model, view: agentsPage });
  });
  mountFiles<AgentSummary>(app, parts, {
    ...agentsFile,
    fields: { agent_id: "text", application_ids: "texts", threads: "integer", ...groupFields },
    async *pages(c) {
      for await (const groups of groupsPages(ledger, "agent_id", requestFile(c))) {
        yield groups.map(agentOf);
      }
    },
  });
  return app;
}
