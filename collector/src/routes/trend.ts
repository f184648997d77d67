/**
 * @module Trend: how the turns of a filter fared over time and by release, counted turn by turn
 * within a budget; where it left turns out, how many were counted and since when.
 */
import { Hono } from "hono";

import { trendOf } from "../display/trend.ts";
import type { Trend } from "../display/trend.ts";
import { rangeOf } from "../display/turn-figures.ts";
import { FreshAnswers } from "../fresh-answers.ts";
import type { AppEnv } from "../http/environment.ts";
import { readParameters } from "../http/parameters.ts";
import { respondJson } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { pendingFrames } from "../window.ts";
import { countedTurns, questionOf } from "./counted-turns.ts";
import type { CountBudget } from "./counted-turns.ts";
import { facetsParameters } from "./facets.ts";

/** Parameters of the trend: every filter of the list, and no page of it. */
export const trendParameters = facetsParameters.omit({ chart: true });

/** Body of `/traces/trend.json`. */
export interface TrendModel extends Trend {
  /** True when no turn of the filter was left uncounted. */
  readonly complete: boolean;
  /** Receipt of the oldest turn that was counted, where a bound left older ones out. */
  readonly since: string | null;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** A release is understood by what came before it, so this looks further back than a list does. */
const budget: CountBudget = { turnsPerRead: 1_000, turns: 10_000, ms: 3_000 };

/** GET `/traces/trend.json`. */
export function trendRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const answers = new FreshAnswers<TrendModel>(parts.now);
  app.get("/traces/trend.json", async (c) => {
    const { reading, filter, key } = questionOf(c, readParameters(c, trendParameters));
    const make = async (): Promise<TrendModel> => {
      const pending = await pendingFrames(parts);
      const { rows, more, since } = await countedTurns(parts, reading, filter, budget);
      return {
        ...trendOf(rows, parts.now(), rangeOf(reading.query)),
        complete: !more && pending === 0,
        since,
        pending_frames: pending,
      };
    };
    return respondJson(c, await answers.of(key, make));
  });
  return app;
}
