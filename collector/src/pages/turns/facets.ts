/** @module Facets: turn counts of a filter by value: exact, over all its turns. */
import { Hono } from "hono";
import type { TurnQuery } from "@turnproof/store";

import { facetNames } from "../../ui/display/turn-figures.ts";
import type { Facet } from "../../ui/display/turn-figures.ts";
import { queryCache } from "../../turns/query-cache.ts";
import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { countFacets } from "../../turns/turn-facets.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { countingOf } from "../../turns/counted-turns.ts";
import type { Counting } from "../../turns/counted-turns.ts";
import { listParameters } from "../../turns/list-parameters.ts";

/** Body of `/traces/facets.json`. */
export interface FacetsModel {
  /**
   * Turns by value, most frequent first, bounded per key; `total` is the number of distinct
   * values.
   */
  readonly facets: readonly Facet[];
  /** Turns of the filter. */
  readonly turns: number;
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Most values of a key in the answer, which the filter bar uses for completion. */
const valuesMax = 50;
/** Most values that are queried, so that `total` excludes those that mean none. */
const requestedMax = 500;

/** Its JSON, by route. */
export interface FacetsAnswers {
  readonly "GET /traces/facets.json": FacetsModel;
}

/** Facets: what each route needs, records and answers. */
export const facetsGroup: RouteGroup<FacetsAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/facets.json": {
      needs: "trace.read",
      audit: "turns.read",
      reads: true,
      id: "getFacets",
      summary: "How many turns of a filter have which value",
      text:
        "Exact, over all turns that pass. Each key has its 50 commonest values, and `total` is how " +
        "many there are. `complete` is false while acknowledged batches are not readable yet.",
      query: listParameters,
      returns: "Turns by value of each key of the filter bar, the commonest first.",
    },
  },
  routes: facetsRoutes,
};

/** GET `/traces/facets.json`. */
function facetsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/facets.json", async (c) => {
    const counting = await countingOf(c, parts, readParameters(c, listParameters));
    return respondJson(c, await countedFacets(parts, counting));
  });
  return app;
}

const answersOf = queryCache<FacetsModel>();

/** The facets of the turns of a query. */
export function countedFacets(parts: Parts, { query, key }: Counting): Promise<FacetsModel> {
  return answersOf(parts).of(key, () => countTurns(parts, query));
}

async function countTurns(parts: Parts, query: TurnQuery): Promise<FacetsModel> {
  const pending = await pendingFrames(parts);
  const names = new Map(facetNames);
  const counted = await countFacets(parts.store.ledger, query, [...names.keys()], {
    valuesMax: requestedMax,
  });
  return {
    facets: counted.keys.flatMap(({ key, counts, total }) => {
      const values = [...counts].slice(0, valuesMax).map(([value, count]) => ({ value, count }));
      return values.length === 0 ? [] : [{ key, name: names.get(key) ?? key, values, total }];
    }),
    turns: counted.turns,
    complete: await isComplete(parts, pending, query),
    pending_frames: pending,
  };
}
