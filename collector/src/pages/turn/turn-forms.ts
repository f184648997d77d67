/** @module TurnForms: the table of spans and the JSON in columns, of a turn and of the sample. */
import { z } from "zod";

import type { Columns } from "../../ui/display/columns.ts";
import { spanColumns } from "../../ui/display/span-table.ts";
import type { WaterfallColumns } from "../../ui/display/turn-columns.ts";
import type { TurnModel } from "./turn-reading.ts";

/** How the table of spans is shown; only the page reads these. */
export const spanTable = {
  spans: z
    .enum(spanColumns)
    .describe("Column by which the page's table of spans is sorted; without it there is none."),
  spans_order: z.enum(["ascending", "descending"]).describe("Direction of the table of spans."),
  spans_page: z.coerce.number().int().min(1).max(100_000).describe("Page of the table of spans."),
};

/** `/traces/{root_trace_id}.json` with `form=columns`. */
export type TurnInColumns = Omit<TurnModel, "waterfall" | "events"> & {
  readonly waterfall: WaterfallColumns;
  readonly events: Columns;
};
