/**
 * @module Routes: mounts every route in reading order; a fixed path stands before a pattern.
 */
import type { Hono } from "hono";

import type { AppEnv } from "../http/environment.ts";
import type { Parts } from "../parts.ts";
import { agentRunRoutes } from "./run/route.ts";
import { agentsRoutes } from "./agents/route.ts";
import { analysisRoutes } from "./analysis/route.ts";
import { assetsRoutes } from "../http/assets.ts";
import { capabilitiesRoutes } from "./capabilities/route.ts";
import { compareRoutes } from "./compare/route.ts";
import { documentsRoutes } from "./docs/route.ts";
import { eventsRoutes } from "./events/route.ts";
import { differencesRoutes } from "./turns/differences.ts";
import { facetsRoutes } from "./turns/facets.ts";
import { findRoutes } from "./find/route.ts";
import { healthRoutes } from "./health/route.ts";
import { homeRoutes } from "./home/route.ts";
import { hookRoutes } from "./accounts/route.ts";
import { judgementRoutes } from "./feedback/route.ts";
import { learningRoutes } from "./learning/route.ts";
import { liveRoutes } from "./live/route.ts";
import { livenessRoutes } from "../http/liveness.ts";
import { memoryRoutes } from "./memory/route.ts";
import { metricsRoutes } from "../http/metrics.ts";
import { patternsRoutes } from "./patterns/route.ts";
import { overviewRoutes } from "./turns/overview.ts";
import { reconcileRoutes } from "./reconcile/route.ts";
import { replayRoutes } from "./replays/route.ts";
import { revealRoutes } from "./reveal/route.ts";
import { sessionRoutes } from "./login/route.ts";
import { settingsRoutes } from "./settings/route.ts";
import { threadsRoutes } from "./threads/route.ts";
import { trendRoutes } from "./turns/trend.ts";
import { turnRoutes } from "./turn/route.ts";
import { turnsRoutes } from "./turns/route.ts";

/** Mounts the routes of a collector. */
export function mountRoutes(app: Hono<AppEnv>, parts: Parts): void {
  app.route("/", parts.ingest.routes);
  for (const routes of [
    homeRoutes,
    assetsRoutes,
    livenessRoutes,
    sessionRoutes,
    settingsRoutes,
    turnsRoutes,
    overviewRoutes,
    facetsRoutes,
    differencesRoutes,
    trendRoutes,
    healthRoutes,
    compareRoutes,
    analysisRoutes,
    reconcileRoutes,
    eventsRoutes,
    findRoutes,
    hookRoutes,
    agentRunRoutes,
    judgementRoutes,
    learningRoutes,
    revealRoutes,
    replayRoutes,
    memoryRoutes,
    capabilitiesRoutes,
    metricsRoutes,
    agentsRoutes,
    threadsRoutes,
    documentsRoutes,
    patternsRoutes,
    liveRoutes,
    // A pattern that would take every path of its folder comes last.
    turnRoutes,
  ]) {
    app.route("/", routes(parts));
  }
}
