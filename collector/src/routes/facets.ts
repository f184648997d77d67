/**
 * @module Facets: how many turns of a filter say which value, over the whole of it and not over the
 * page that is shown; where a bound left turns out, how many were counted and since when.
 */
import { Hono } from "hono";
import { z } from "zod";
import { limits } from "@turnproof/semconv";

import type { Reading } from "../auth/grants.ts";
import { facetsOf } from "../display/turn-figures.ts";
import type { Facet } from "../display/turn-figures.ts";
import { FreshAnswers } from "../fresh-answers.ts";
import type { AppEnv } from "../http/environment.ts";
import { readParameters } from "../http/parameters.ts";
import { respondJson } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";
import { pendingFrames } from "../window.ts";
import { countedTurns, questionOf } from "./counted-turns.ts";
import { turnsParameters } from "./turns.ts";
import type { RowFilter } from "./turns.ts";

const { limit: _limit, cursor: _cursor, ...listed } = turnsParameters.shape;

/** Parameters of the facets: every filter of the list, and no page of it. */
export const facetsParameters = z.strictObject(listed);

/** Body of `/traces/facets.json`. */
export interface FacetsModel {
  /** Turns by value, the commonest first, some of each key; `total` says how many values there are. */
  readonly facets: readonly Facet[];
  /** Turns that were counted. */
  readonly turns: number;
  /** Turns of the filter, those that were left uncounted as well; null where nobody knows. */
  readonly turns_in_all: number | null;
  /** True when no turn of the filter was left uncounted. */
  readonly complete: boolean;
  /** Receipt of the oldest turn that was counted, where a bound left older ones out. */
  readonly since: string | null;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

const valuesMax = 20;

/** GET `/traces/facets.json`. */
export function facetsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const answers = new FreshAnswers<FacetsModel>(parts.now);
  app.get("/traces/facets.json", async (c) => {
    const { reading, filter, key } = questionOf(c, readParameters(c, facetsParameters));
    const make = (): Promise<FacetsModel> => countTurns(parts, reading, filter);
    return respondJson(c, await answers.of(key, make));
  });
  return app;
}

async function countTurns(parts: Parts, reading: Reading, filter: RowFilter): Promise<FacetsModel> {
  const pending = await pendingFrames(parts);
  const { rows, more, since } = await countedTurns(parts, reading, filter);
  return {
    facets: facetsOf(rows, valuesMax),
    turns: rows.length,
    turns_in_all: more ? await turnsInAll(parts, reading, filter) : rows.length,
    complete: !more && pending === 0,
    since,
    pending_frames: pending,
  };
}

/** How many turns pass, where the store counts them all without reading them. */
async function turnsInAll(
  parts: Parts,
  { scope, query }: Reading,
  { keep }: RowFilter,
): Promise<number | null> {
  if (keep !== undefined) return null;
  const budgetRows = limits.scanRowsMax / 2;
  const survey = await parts.store.survey?.(scope, query, { budgetRows, signal: parts.closing });
  if (survey === undefined || survey.since !== null || survey.until !== null) return null;
  return survey.slots.reduce((sum, { turns }) => sum + turns, 0);
}
