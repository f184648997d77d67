/**
 * @module Routes: mounts every route in reading order; a fixed path stands before a pattern.
 */
import type { Hono } from "hono";

import type { AppEnv } from "./http/environment.ts";
import type { Parts } from "./parts.ts";
import { agentRunRoutes } from "./routes/agent-runs.ts";
import { agentsRoutes } from "./routes/agents.ts";
import { analysisRoutes } from "./routes/analysis.ts";
import { assetsRoutes } from "./routes/assets.ts";
import { capabilitiesRoutes } from "./routes/capabilities.ts";
import { compareRoutes } from "./routes/compare.ts";
import { documentsRoutes } from "./routes/documents.ts";
import { eventsRoutes } from "./routes/events.ts";
import { differencesRoutes } from "./routes/differences.ts";
import { facetsRoutes } from "./routes/facets.ts";
import { findRoutes } from "./routes/find.ts";
import { healthRoutes } from "./routes/health.ts";
import { homeRoutes } from "./routes/home.ts";
import { hookRoutes } from "./routes/hooks.ts";
import { judgementRoutes } from "./routes/judgements.ts";
import { learningRoutes } from "./routes/learning.ts";
import { liveRoutes } from "./routes/live.ts";
import { livenessRoutes } from "./routes/liveness.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { patternsRoutes } from "./routes/patterns.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { reconcileRoutes } from "./routes/reconcile.ts";
import { replayRoutes } from "./routes/replays.ts";
import { revealRoutes } from "./routes/reveal.ts";
import { sessionRoutes } from "./routes/session.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { threadsRoutes } from "./routes/threads.ts";
import { trendRoutes } from "./routes/trend.ts";
import { turnRoutes } from "./routes/turn.ts";
import { turnsRoutes } from "./routes/turns.ts";

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
