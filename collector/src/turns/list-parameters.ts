/** @module ListParameters: the filters of every answer about many turns. */
import { z } from "zod";
import { findingTexts, insightCodes } from "@turnproof/evidence";
import { verdictStatuses } from "@turnproof/semconv";

import { chart, filters } from "../http/parameters.ts";

/** Codes of the judge's findings and of insights; some are both. */
const requestedCodes = [...new Set([...Object.keys(findingTexts), ...insightCodes])];

const { limit: _limit, cursor: _cursor, ...eventFilters } = filters;
const turnTime = (end: string): string =>
  `Only turns whose last event is ${end} this time (their \`ended_at\`), ISO 8601.`;

/** The filters of every answer about many turns. */
export const listParameters = z
  .strictObject({
    ...eventFilters,
    store: filters.store.describe("Only turns that hold a row of this store; default any."),
    status: filters.status.describe(
      "Only turns with this status; `error`: every turn in which anything failed.",
    ),
    start_time: filters.start_time.describe(turnTime("at or after")),
    end_time: filters.end_time.describe(turnTime("before")),
    verdict: z
      .enum([...verdictStatuses, "unjudged"])
      .describe("Only turns with this verdict of the background judge, or with none yet."),
    finding: z
      .enum(requestedCodes)
      .describe("Only turns with this finding of the judge or this insight, by its code."),
    q: z
      .string()
      .max(1_000)
      .describe(
        "Further terms such as `latency:>2s -agent:x has:finding`, answered over the whole " +
          "history like every other filter.",
      ),
    chart,
  })
  .partial();
