/**
 * @module TurnsParameters: parameters of the list of turns, which a shared view keeps as its query.
 */
import { limits } from "@turnproof/semconv";
import { turnOrderFields } from "@turnproof/store";
import { z } from "zod";

import { filters } from "../../http/parameters.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { turnsShown } from "../../ui/display/list-columns.ts";

const { limit, cursor } = filters;

/** Parameters of the turns view. */
export const turnsParameters = z.strictObject({
  ...listParameters.shape,
  sort: z
    .enum(turnOrderFields)
    .describe(
      "What the list is ordered by; default `own_time`: the turn's `ended_at`, and no later than " +
        "its last receipt, so that a clock that is ahead moves nothing to the front. " +
        "`first_received` is the order of receipt. `verdict` goes by severity, `findings` by the " +
        "number of the first priority, then of the next, `stages_missing` by required stages that " +
        "are not recorded, texts by the bytes of UTF-8. Unknown values come last.",
    )
    .optional(),
  order: z.enum(["descending", "ascending"]).describe("Default `descending`.").optional(),
  hide: z
    .string()
    .regex(/^[a-z,]{1,100}$/)
    .describe("Columns that the page leaves out, such as `memory,cache`.")
    .optional(),
  show: z
    .string()
    .regex(/^[a-z,]{1,100}$/)
    .describe("Columns that the page shows whatever its width, such as `cache,thread`.")
    .optional(),
  rows: z.enum(["normal", "dense"]).describe("Density of the page's rows.").optional(),
  limit: limit
    .describe(
      `${limits.pageEventsMin} to ${limits.pageEventsMax}; default ${limits.pageEventsDefault}, ` +
        `and ${turnsShown} on the page. It counts turns.`,
    )
    .optional(),
  cursor: cursor.optional(),
});
