/**
 * @module Differences: values that are more frequent in the turns of a filter than in the other
 * turns of their own time span, inside the principal's scope; exact counts and an exact test.
 */
import { Hono } from "hono";
import { CodedError } from "@turnproof/semconv";

import type { Differences } from "../../ui/display/differences.ts";
import { termsOf } from "../../ui/display/filter-terms.ts";
import { facetNames } from "../../ui/display/turn-figures.ts";
import { QueryCache } from "../../turns/query-cache.ts";
import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respondJson } from "../../http/respond.tsx";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { differencesOf, ofSameSpan } from "../../turns/turn-differences.ts";
import { countFacets } from "../../turns/turn-facets.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { countingOf } from "../../turns/counted-turns.ts";
import { listParameters } from "../../turns/list-parameters.ts";

/** Body of `/traces/differences.json`. */
export interface DifferencesModel extends Differences {
  /** Last event of the first and of the last of these turns, in epoch milliseconds. */
  readonly first_ms: number | null;
  readonly last_ms: number | null;
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Most compared values of a key, most frequent first. */
const comparedMax = 1_000;

/** Its JSON, by route. */
export interface DifferencesAnswers {
  readonly "GET /traces/differences.json": DifferencesModel;
}

/** Differences: what each route needs, records and answers. */
export const differencesGroup: RouteGroup<DifferencesAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/differences.json": {
      needs: "trace.read",
      audit: "turns.read",
      reads: true,
      id: "getDifferences",
      summary:
        "Values that the turns of a filter have more often than all other turns of their time span",
      text:
        "Counts are exact on either side. The others are all further turns of the caller's scope from " +
        "the first to the last turn of the filter. `p` is of Fisher's exact test, one-sided, with " +
        "Holm's correction for every compared value; what the filter itself selects is not compared. A filter of times alone is refused.",
      query: listParameters,
      returns: "Values with how many turns of either side have them, and how many have none.",
    },
  },
  routes: differencesRoutes,
};

/** GET `/traces/differences.json`. */
function differencesRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const answers = new QueryCache<DifferencesModel>(parts.now);
  app.get("/traces/differences.json", async (c) => {
    const { chart: _chart, ...parameters } = readParameters(c, listParameters);
    const { start_time: _from, end_time: _to, ...narrowing } = parameters;
    if (Object.values(narrowing).every((value) => value === undefined)) {
      throw new CodedError("parameter_invalid", { field: "q" });
    }
    const { query, key } = await countingOf(c, parts, parameters);
    const terms = termsOf(new URL(c.req.url).searchParams);
    const everything = turnQueryOf(readingFor(c, {}));
    const make = async (): Promise<DifferencesModel> => {
      const pending = await pendingFrames(parts);
      const { ledger } = parts.store;
      const names = new Map(facetNames);
      const keys = [...names.keys()];
      const [span] = await ledger.turnCounts(query, {});
      const around = ofSameSpan(everything, span);
      const these = await countFacets(ledger, query, keys, {
        valuesMax: comparedMax,
        unrecorded: true,
      });
      const window = await countFacets(ledger, around, keys, {
        valuesMax: comparedMax * 10,
        unrecorded: true,
      });
      return {
        ...differencesOf(these, window, { names, terms }),
        first_ms: millisecondsOf(span?.first_at),
        last_ms: millisecondsOf(span?.last_at),
        complete: await isComplete(parts, pending, around),
        pending_frames: pending,
      };
    };
    return respondJson(c, await answers.of(key, make));
  });
  return app;
}

function millisecondsOf(micros: number | null | undefined): number | null {
  return typeof micros === "number" ? Math.floor(micros / 1_000) : null;
}
