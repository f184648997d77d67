/**
 * @module Agents: agents with evidence, and figures of their tools, tokens and turns, over all
 * turns in the principal's scope.
 */
import { Hono } from "hono";
import type { FigureGroup, Keyset, TurnQuestion, TurnReader } from "@turnproof/store";

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
  requestGroups,
  groupsFileParameters,
  groupsParameters,
  windowOf,
} from "../../turns/groups-request.ts";
import type { GroupsWindow } from "../../turns/groups-request.ts";
import { turnsShown } from "../../ui/display/list-columns.ts";
import { groupFields, turnGroups } from "../../turns/turn-groups.ts";
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
/** Agents of a file that are read at once. */
const agentsAtOnce = 100;

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
      query: groupsParameters,
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
    const requested = await requestGroups(c, parts, {}, turnsShown);
    const { question, limit, paging } = requested;
    const groups = await placedAgents(ledger, question);
    const left = groups.filter(({ place }) => isAfter(place, paging.after));
    const page = left.slice(0, limit);
    const values = page.map(({ group }) => group.value ?? null);
    const named = await turnGroups(ledger, question, "agent_id", values);
    const last = left.length > limit ? page.at(-1)?.place : undefined;
    const model: AgentsModel = {
      items: named.map(agentOf),
      mounted: await mountedAgents(c, parts),
      ...(await windowOf(requested, {
        turns: groups.reduce((sum, { group }) => sum + group.turns, 0),
        next: last === undefined ? null : { ...last },
      })),
    };
    return respond(c, { model, view: agentsPage });
  });
  mountFiles<AgentSummary>(app, parts, {
    ...agentsFile,
    fields: { agent_id: "text", application_ids: "texts", threads: "integer", ...groupFields },
    async *pages(c) {
      const question = requestFile(c);
      const values = (await placedAgents(ledger, question)).map(({ group }) => group.value ?? null);
      let from = 0;
      do {
        const some = values.slice(from, from + agentsAtOnce);
        yield (await turnGroups(ledger, question, "agent_id", some)).map(agentOf);
        from += agentsAtOnce;
      } while (from < values.length);
    },
  });
  return app;
}

/** Every agent in the order of the list. */
async function placedAgents(
  ledger: TurnReader,
  question: TurnQuestion,
): Promise<readonly { readonly group: FigureGroup; readonly place: AgentPlace }[]> {
  return (await ledger.turnFigures(question, { by: "agent_id" }))
    .map((group) => ({ group, place: agentPlace(group) }))
    .toSorted((a, b) => comparePlaces(a.place, b.place));
}

/** The order of agents: by their last event, latest first. */
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
