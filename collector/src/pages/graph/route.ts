/**
 * @module Graph: agents and the tools, models, memory and agents that they use, with rate,
 * failures and p95, over all turns of the filter.
 */
import { Hono } from "hono";
import { z } from "zod";

import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { agentGraph } from "../../turns/agent-graph.ts";
import type { AgentGraph, GraphEdge } from "../../ui/display/agent-graph.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { knownNames } from "../../turns/free-text.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { graphPage } from "./page.tsx";

const { chart: _chart, ...turnFilters } = listParameters.shape;
const graphParameters = z.strictObject(turnFilters);

/** Body of `/graph.json`. */
export interface GraphModel extends AgentGraph {
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface GraphAnswers {
  readonly "GET /graph.json": GraphModel;
}

const graphFile = {
  path: "/graph",
  name: "connections",
  rows: "`edges`: one line per connection of agents",
  query: graphParameters,
} as const;

/** Graph: what each route needs, records and answers. */
export const graphGroup: RouteGroup<GraphAnswers> = {
  tag: "Traces",
  rail: { under: "/agents", href: "/graph" },
  endpoints: {
    ...withTwin("/graph", {
      needs: "trace.read",
      audit: "graph.read",
      reads: true,
      id: "getGraph",
      summary: "Agents and the tools, models, memory and other agents that they use",
      text:
        "Exact, over all turns that pass: `used` has each tool, model, memory and called agent over all " +
        "of its callers, its p95 that of all its calls. `errors` of an agent counts its turns with an " +
        "error. An edge of a tool or model counts its calls; one of an agent " +
        "counts the turns that it ended inside of a turn of the caller; one of memory counts turns that " +
        "retrieved or were supplied from it, and as failed those with a degraded memory. Turns that an " +
        "earlier version stored have no edges between agents.",
      query: graphParameters,
      returns: "Agents with their turns, and their connections.",
      failures: pageFailures,
    }),
    ...fileEndpoints(graphFile),
  },
  routes: graphRoutes,
};

/** GET `/graph` and its twin. */
function graphRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  const readGraph = async (c: AppContext, lenient: boolean): Promise<GraphModel> => {
    const parameters = readParameters(c, graphParameters);
    const reading = readingFor(c, parameters);
    const names = await knownNames(ledger, reading.scope, parameters.q);
    const reads = { typed: c.get("typed"), names, lenient };
    const requested = turnQueryOf(reading, parameters, reads);
    const pending = await pendingFrames(parts);
    return {
      ...(await agentGraph(ledger, { ...requested, signal: c.req.raw.signal })),
      complete: await isComplete(parts, pending, requested),
      pending_frames: pending,
    };
  };
  app.on("GET", ["/graph", "/graph.json"], async (c) =>
    respond(c, { model: await readGraph(c, wantsPage(c)), view: graphPage }),
  );
  mountFiles<GraphEdge>(app, parts, {
    ...graphFile,
    fields: {
      agent_id: "text",
      kind: "text",
      name: "text",
      calls: "integer",
      failed: "integer",
      p95_ms: "number",
    },
    async *pages(c) {
      yield (await readGraph(c, false)).edges;
    },
  });
  return app;
}
