/**
 * @module Analysis: insights of a turn or of a window, learning candidates, lineage, and the
 * replay plan, which runs nothing (requirements: Trace Insights; evidence: Insights). No text is
 * ever read.
 */
import { Hono } from "hono";
import { z } from "zod";
import {
  buildLineage,
  buildReplayPlan,
  findInsights,
  findLearningCandidates,
  summarize,
} from "@turnproof/evidence";
import type {
  Insights,
  Lineage,
  ObservabilitySummary,
  RecurringWorkflow,
  ReplayPlan,
} from "@turnproof/evidence";
import { CodedError, isoTime, limits } from "@turnproof/semconv";

import type { Reading } from "../../access/grants.ts";
import type { AppEnv } from "../../http/environment.ts";
import { filters, id, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respondJson } from "../../http/respond.tsx";
import { windowFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { metadataOf } from "../../judge/verdict.ts";
import { collectRoot, selectRoot, settle } from "../../turns/window.ts";
import { newestEvents } from "../../turns/turn-reading.ts";
import type { TurnEvents } from "../../turns/turn-reading.ts";

const { agent_id, thread_id, turn_id, user_id, scope, root_trace_id } = filters;

/** Parameters of the analysis: a root, or the newest turns of an agent or thread. */
const analysisParameters = z
  .strictObject({
    agent_id,
    thread_id,
    user_id,
    scope,
    root_trace_id: root_trace_id.describe("Insights of each turn of this root."),
    turn_id: turn_id.describe("One turn of the root."),
    start_time: filters.start_time.describe("Child-event time, inclusive."),
    end_time: filters.end_time.describe("Child-event time, exclusive."),
    limit: filters.limit.describe("Turns of the window; default 250."),
  })
  .partial();

/** Parameters of the lineage. */
const inspectParameters = z.strictObject({
  resource_ref: id.describe("The resource whose sources are listed."),
  resource_type: id.optional(),
  version: id.optional(),
  agent_id: agent_id.optional(),
  user_id: user_id.optional(),
  scope: scope.optional(),
});

/** Parameters of the replay plan. */
const replayParameters = z.strictObject({
  agent_id,
  root_trace_id: root_trace_id.describe("Root trace to describe."),
  turn_id: turn_id.describe("One turn of the root.").optional(),
  user_id: user_id.optional(),
  scope: scope.optional(),
});

/** Most roots whose events are read for one lineage. */
const lineageRootsMax = 64;

/** Body of `/traces/analysis.json`. */
export interface AnalysisModel extends Insights {
  readonly candidates: readonly RecurringWorkflow[];
  readonly summary: ObservabilitySummary;
  readonly window_complete: boolean;
  readonly event_count: number;
  readonly root_count: number;
}

/** Body of `/traces/inspect.json`. */
export interface LineageModel {
  readonly resource_ref: string;
  /** One for each tenant. */
  readonly lineages: readonly Lineage[];
  readonly root_count: number;
  readonly window_complete: boolean;
}

/** Its JSON, by route. */
export interface AnalysisAnswers {
  readonly "GET /traces/analysis.json": AnalysisModel;
  readonly "GET /traces/inspect.json": LineageModel;
  readonly "GET /traces/replay-plan.json": ReplayPlan;
}

/** Analysis: what each route needs, records and answers. */
export const analysisGroup: RouteGroup<AnalysisAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/analysis.json": {
      needs: "trace.read",
      audit: "analysis.read",
      reads: true,
      id: "getInsights",
      summary: "Insights of a root's turns, or of the newest turns of an agent or thread",
      query: analysisParameters,
      returns: "Insights, learning candidates and a summary; never cut silently.",
      failures: windowFailures,
    },
    "GET /traces/inspect.json": {
      needs: "trace.read",
      audit: "lineage.read",
      reads: true,
      id: "getLineage",
      summary: "Lineage of a resource",
      query: inspectParameters,
      returns:
        "One lineage per tenant; tenants are never mixed. `edges_omitted` of a node counts sources of " +
        "its span that have a node and no edge from it.",
      failures: windowFailures,
    },
    "GET /traces/replay-plan.json": {
      needs: "replay.create",
      audit: "replay_plan.read",
      reads: true,
      id: "getReplayPlan",
      summary: "Replay plan of a turn; it runs nothing",
      text: "Execution, network and side effects are off, and nothing in the plan turns them on.",
      query: replayParameters,
      returns: "The plan.",
      failures: [...windowFailures, "replay_plan_refused"],
    },
  },
  routes: analysisRoutes,
};

/** GET `/traces/analysis.json`, `/traces/inspect.json` and `/traces/replay-plan.json`. */
function analysisRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/analysis.json", async (c) => {
    const parameters = readParameters(c, analysisParameters);
    const reading = readingFor(c, parameters);
    const root = parameters.root_trace_id;
    const read =
      root === undefined
        ? await newestEvents(parts, reading, parameters.limit ?? limits.pageEventsDefault)
        : await oneRoot(parts, reading, root);
    const now = isoTime(parts.now());
    const model: AnalysisModel = {
      ...findInsights(read.events, { scope: root === undefined ? "window" : "turn" }),
      candidates: findLearningCandidates(read.events),
      summary: summarize(read.events, { now, windowComplete: read.complete }),
      window_complete: read.complete,
      event_count: read.events.length,
      root_count: read.roots,
    };
    return respondJson(c, model);
  });

  app.get("/traces/inspect.json", async (c) => {
    const parameters = readParameters(c, inspectParameters);
    const { resource_ref, resource_type, version, ...narrowed } = parameters;
    const reading = readingFor(c, { ...narrowed, store: "all" });
    const read = await mentioning(parts, reading, resource_ref);
    const lineages = buildLineage(read.events, {
      ref: resource_ref,
      ...(resource_type === undefined ? {} : { resourceType: resource_type }),
      ...(version === undefined ? {} : { version }),
      ...(reading.query.user_id === undefined ? {} : { userId: reading.query.user_id }),
    });
    if (lineages.length === 0) throw new CodedError("trace_not_found_in_window");
    const model: LineageModel = {
      resource_ref,
      lineages,
      root_count: read.roots,
      window_complete: read.complete,
    };
    return respondJson(c, model);
  });

  app.get("/traces/replay-plan.json", async (c) => {
    const parameters = readParameters(c, replayParameters);
    const reading = readingFor(c, parameters);
    const { window, events } = await selectRoot(parts, reading, parameters.root_trace_id);
    const normalizationMetadata = await metadataOf(parts, window);
    return respondJson(c, buildReplayPlan(events, { normalizationMetadata }));
  });
  return app;
}

async function oneRoot(parts: Parts, reading: Reading, root: string): Promise<TurnEvents> {
  const { window, events } = await selectRoot(parts, reading, root);
  return { events, roots: 1, complete: window.complete };
}

/** Whole roots of the events that mention the resource. */
async function mentioning(parts: Parts, reading: Reading, ref: string): Promise<TurnEvents> {
  const limit = limits.pageEventsMax;
  const settled = await settle(parts);
  const slice = await parts.store.find(reading.scope, ref, reading.query, { limit });
  const roots = [...new Set(slice.events.flatMap((event) => event.root_trace_id ?? []))];
  const read = roots.slice(0, lineageRootsMax);
  const windows = await Promise.all(
    read.map((root) => collectRoot(parts, reading, root, { settled })),
  );
  const allRoots = slice.next === null && !slice.bounded && read.length === roots.length;
  const whole = settled.pending === 0 && allRoots;
  return {
    events: windows.flatMap((window) => window.events),
    roots: read.length,
    complete: whole && windows.every((window) => window.complete),
  };
}
