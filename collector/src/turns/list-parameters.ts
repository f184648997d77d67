/** @module ListParameters: the filters of every answer about many turns. */
import { z } from "zod";
import { findingTexts } from "@turnproof/evidence";
import { verdictStatuses } from "@turnproof/semconv";

import { chart, filters } from "../http/parameters.ts";

const { limit: _limit, cursor: _cursor, ...eventFilters } = filters;
const turnTime = (end: string): string =>
  `Only turns whose last event is ${end} this time (their \`ended_at\`), ISO 8601.`;

/** The filters of every answer about many turns. */
export const listParameters = z
  .strictObject({
    ...eventFilters,
    store: filters.store.describe("Only turns that hold a row of this store; default any."),
    status: filters.status.describe(
      "Only turns with this status of their own; `q=has:error`: turns in which anything failed.",
    ),
    start_time: filters.start_time.describe(turnTime("at or after")),
    end_time: filters.end_time.describe(turnTime("before")),
    verdict: z
      .enum([...verdictStatuses, "unjudged"])
      .describe("Only turns with this verdict of the background judge, or with none yet."),
    finding: z
      .enum(Object.keys(findingTexts))
      .describe(
        "Only turns with this finding of the judge, by its code; `q=insight:` takes insights.",
      ),
    q: z
      .string()
      .max(1_000)
      .describe(
        "Further terms such as `latency:>2s -agent:x,y has:finding` (a comma is either), answered over the whole " +
          "history like every other filter.",
      ),
    chart,
  })
  .partial();
