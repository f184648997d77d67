/**
 * @module Trend: outcomes of a filter's turns over time and by release: exact, over all its turns.
 */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { countedTrend } from "../../turns/counted-trend.ts";
import type { TrendModel } from "../../turns/counted-trend.ts";
import { countingOf } from "../../turns/counted-turns.ts";
import { listParameters } from "../../turns/list-parameters.ts";

/** Parameters of the trend: every filter of the list, without paging. */
const trendParameters = listParameters.omit({ chart: true });

/** Its JSON, by route. */
export interface TrendAnswers {
  readonly "GET /traces/trend.json": TrendModel;
}

/** Trend: what each route needs, records and answers. */
export const trendGroup: RouteGroup<TrendAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/trend.json": {
      needs: "trace.read",
      audit: "turns.read",
      reads: true,
      id: "getTrend",
      summary: "Outcomes of the turns of a filter over time and by release",
      text:
        "Verdicts, durations, tools and tokens of each stretch of time and of each release, with what " +
        "is unknown counted beside. Exact, over all turns that pass. `change` names a turn before a " +
        "release and one of it, for `/traces/compare`.",
      query: trendParameters,
      returns: "Slices over time, releases by first appearance, and sums over all of them.",
    },
  },
  routes: trendRoutes,
};

/** GET `/traces/trend.json`. */
function trendRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/trend.json", async (c) => {
    const counting = await countingOf(c, parts, readParameters(c, trendParameters));
    return respondJson(c, await countedTrend(parts, counting));
  });
  return app;
}
