/**
 * @module Pages: every group of routes, in the order in which they are mounted.
 */
import type { Hono } from "hono";

import { joinEndpoints } from "../http/endpoint.ts";
import type { Endpoints, RouteGroup } from "../http/endpoint.ts";
import type { AppEnv } from "../http/environment.ts";
import { isDamaged } from "../turns/window.ts";
import { createRenderer } from "../http/respond.tsx";
import type { Renderer } from "../http/environment.ts";
import type { Parts } from "../parts.ts";
import { otlpGroup } from "../receive/otlp/otlp-group.ts";
import { problemPage } from "../ui/problem-page.tsx";
import { assetsGroup } from "../http/assets.ts";
import { livenessGroup } from "../http/liveness.ts";
import { joinNavigation } from "../http/navigation.ts";
import { metricsGroup } from "../http/metrics.ts";
import { readTime } from "../http/read-time.ts";
import { accountsGroup } from "./accounts/route.ts";
import { agentGroup } from "./agent/route.ts";
import { agentsGroup } from "./agents/route.ts";
import { alertsGroup } from "./alerts/route.ts";
import { analysisGroup } from "./analysis/route.ts";
import { capabilitiesGroup } from "./capabilities/route.ts";
import { compareGroup } from "./compare/route.ts";
import { costGroup } from "./cost/route.ts";
import { docsGroup } from "./docs/route.ts";
import { eventsGroup } from "./events/route.ts";
import { downloadGroup } from "./download/route.ts";
import { exportGroup } from "./export/route.ts";
import { feedbackGroup } from "./feedback/route.ts";
import { findGroup } from "./find/route.ts";
import { gateGroup } from "./gate/route.ts";
import { graphGroup } from "./graph/route.ts";
import { healthGroup } from "./health/route.ts";
import { homeGroup } from "./home/route.ts";
import { incidentsGroup } from "./incidents/route.ts";
import { learningGroup } from "./learning/route.ts";
import { liveGroup } from "./live/route.ts";
import { loginGroup } from "./login/route.ts";
import { mcpGroup } from "./mcp/route.ts";
import { memoryGroup } from "./memory/route.ts";
import { notesGroup } from "./turn/notes-route.ts";
import { patternsGroup } from "./patterns/route.ts";
import { reconcileGroup } from "./reconcile/route.ts";
import { releasesGroup } from "./releases/route.ts";
import { replaysGroup } from "./replays/route.ts";
import { revealGroup } from "./reveal/route.ts";
import { runGroup } from "./run/route.ts";
import { settingsGroup } from "./settings/route.ts";
import { threadGroup } from "./thread/route.ts";
import { threadsGroup } from "./threads/route.ts";
import { toolsGroup } from "./tools/route.ts";
import { turnGroup } from "./turn/route.ts";
import { sampleGroup } from "./turn/sample-route.ts";
import { differencesGroup } from "./turns/differences.ts";
import { facetsGroup } from "./turns/facets.ts";
import { overviewGroup } from "./turns/overview.ts";
import { turnsGroup } from "./turns/route.ts";
import { trendGroup } from "./turns/trend.ts";
import { viewsGroup } from "./turns/views.ts";
import { windowsGroup } from "./windows/route.ts";

const groups: readonly RouteGroup[] = [
  otlpGroup,
  homeGroup,
  assetsGroup,
  livenessGroup,
  loginGroup,
  settingsGroup,
  sampleGroup,
  turnsGroup,
  overviewGroup,
  facetsGroup,
  differencesGroup,
  trendGroup,
  viewsGroup,
  windowsGroup,
  downloadGroup,
  healthGroup,
  compareGroup,
  gateGroup,
  releasesGroup,
  analysisGroup,
  reconcileGroup,
  eventsGroup,
  incidentsGroup,
  exportGroup,
  findGroup,
  accountsGroup,
  runGroup,
  feedbackGroup,
  notesGroup,
  learningGroup,
  revealGroup,
  replaysGroup,
  memoryGroup,
  capabilitiesGroup,
  metricsGroup,
  agentsGroup,
  graphGroup,
  agentGroup,
  threadsGroup,
  threadGroup,
  costGroup,
  toolsGroup,
  alertsGroup,
  mcpGroup,
  docsGroup,
  patternsGroup,
  liveGroup,
  // A pattern that matches every path of its folder comes last.
  turnGroup,
];

/** Every endpoint of the collector. */
export const endpoints: Endpoints = joinEndpoints(groups);

const rail = joinNavigation(groups.flatMap((group) => group.rail ?? []));

/** Mounts the routes of a collector, each with its time for reads. */
export function mountRoutes(app: Hono<AppEnv>, parts: Parts): void {
  app.use(readTime(endpoints));
  for (const { routes } of groups) app.route("/", routes(parts, endpoints));
}

/** Renders the pages of a collector. */
export function rendererOf(parts: Parts): Renderer {
  const { config, credentials, version } = parts;
  return createRenderer({
    problem: problemPage,
    endpoints,
    rail,
    basePath: config.basePath,
    origins: config.origins,
    cookieSecure: config.cookieSecure,
    contentMode: config.contentMode,
    readOnly: config.readOnly,
    authConfigured: credentials.configured,
    version,
    isDamaged: () => isDamaged(parts),
    ...(config.traceLink === undefined ? {} : { traceLink: config.traceLink }),
  });
}
