/**
 * @module Differences: what the turns of a filter say more often than the other turns of the same
 * time, inside the asker's scope; counts alone, and how far each side was counted.
 */
import { Hono } from "hono";
import { CodedError } from "@turnproof/semconv";

import { differencesOf } from "../display/differences.ts";
import type { Differences } from "../display/differences.ts";
import { FreshAnswers } from "../fresh-answers.ts";
import type { AppEnv } from "../http/environment.ts";
import { readParameters } from "../http/parameters.ts";
import { readingFor } from "../http/query.ts";
import { respondJson } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { pendingFrames } from "../window.ts";
import { countedTurns, questionOf } from "./counted-turns.ts";
import { facetsParameters } from "./facets.ts";

/** How far one side was counted. */
export interface Reach {
  readonly complete: boolean;
  /** Receipt of the oldest turn that was counted, where a bound left older ones out. */
  readonly since: string | null;
}

/** Body of `/traces/differences.json`. */
export interface DifferencesModel extends Differences {
  /** Reach of the turns of the filter, and of the window that the others are from. */
  readonly these_reach: Reach;
  readonly window_reach: Reach;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** GET `/traces/differences.json`. */
export function differencesRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const answers = new FreshAnswers<DifferencesModel>(parts.now);
  app.get("/traces/differences.json", async (c) => {
    const { chart: _chart, ...parameters } = readParameters(c, facetsParameters);
    const { start_time, end_time, ...narrowing } = parameters;
    if (Object.values(narrowing).every((value) => value === undefined)) {
      throw new CodedError("parameter_invalid", { field: "q" });
    }
    const times = {
      ...(start_time === undefined ? {} : { start_time }),
      ...(end_time === undefined ? {} : { end_time }),
    };
    const { reading, filter, key } = questionOf(c, parameters);
    const around = readingFor(c, times);
    const make = async (): Promise<DifferencesModel> => {
      const pending = await pendingFrames(parts);
      const these = await countedTurns(parts, reading, filter);
      const window = await countedTurns(parts, around, {});
      const reachOf = ({ more, since }: typeof these): Reach => ({
        complete: !more && pending === 0,
        since,
      });
      return {
        ...differencesOf(these.rows, window.rows),
        these_reach: reachOf(these),
        window_reach: reachOf(window),
        pending_frames: pending,
      };
    };
    return respondJson(c, await answers.of(key, make));
  });
  return app;
}
