/**
 * @module Cost: what model calls cost, by model, agent, tenant, release, thread and turn, at read
 * time and over all turns of the filter.
 */
import { Hono } from "hono";
import { z } from "zod";
import type { TurnQuery, TurnReader } from "@turnproof/store";

import { turnsWith } from "../../cost/open-calls.ts";
import {
  costFields,
  costRowsMax,
  costTurnFields,
  turnCostPages,
  turnCosts,
} from "../../cost/turn-costs.ts";
import type { CostField, CostRow } from "../../cost/turn-costs.ts";
import { costSlices } from "../../turns/cost-slices.ts";
import type { CostSlice } from "../../turns/cost-slices.ts";
import { openPriceList } from "../../cost/price-list.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { pageFailures, withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { answersJson, wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import type { ListFields } from "../../tables/list-files.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { knownNames } from "../../turns/free-text.ts";
import { orderParameter, rowsInOrder } from "../../turns/rows-in-order.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { isComplete, pendingFrames } from "../../turns/window.ts";
import { rangeOf } from "../../ui/display/time-range.ts";
import { unpricedCalls } from "./cost-texts.ts";
import { costPage } from "./page.tsx";

const { chart: _chart, ...turnFilters } = listParameters.shape;

/** Columns by which rows are sorted. */
const costSortFields = [
  "cost",
  "value",
  "provider",
  "ended_at",
  "calls",
  "unpriced",
  "input_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
] as const;
type CostSort = (typeof costSortFields)[number];

/** A file has every row. */
const fileParameters = z.strictObject({
  ...turnFilters,
  by: z
    .enum(costFields)
    .describe(
      "What the costs are listed by; default `model`. By turn an answer has those with the most " +
        "tokens, a file has all, in the order of their tokens.",
    )
    .optional(),
  sort: z
    .enum(costSortFields)
    .describe(
      "Sort column, applied before `limit`; default `cost`, what they cost at " +
        "most. Unknown values come last in both directions. A file by turn is in the order of tokens.",
    )
    .optional(),
  order: orderParameter,
});

/** Rows of a page whose address has no number: more make it slow on a phone. */
const pageRows = 50;

const costParameters = fileParameters.extend({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(costRowsMax)
    .describe(`Rows of the answer; default ${costRowsMax}, and ${pageRows} as a page.`)
    .meta({ type: "integer", minimum: 1, maximum: costRowsMax, pattern: undefined })
    .optional(),
});

/** Body of `/cost.json`. */
export interface CostModel {
  readonly by: CostField;
  readonly turns_counted: number;
  readonly total: CostRow;
  /** Costliest first, or in the order of `sort`; a turn of several releases counts under each. */
  readonly items: readonly CostRow[];
  /** The same over time, by the time at which a turn ended. */
  readonly slices: readonly CostSlice[];
  /** Number of rows, of which `items` has the first. */
  readonly groups: number;
  /** False where there are too many threads or turns to price each. */
  readonly every_group: boolean;
  /**
   * Turns with a model call, of which `groups` are priced here and a file has all; only by turn.
   */
  readonly turns_with_calls?: number;
  readonly price_list: {
    readonly version: string;
    readonly own: { readonly prices: number; readonly digest: string } | null;
  };
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

/** Its JSON, by route. */
export interface CostAnswers {
  readonly "GET /cost.json": CostModel;
}

const costFile = {
  path: "/cost",
  name: "cost",
  rows: "costs",
  query: fileParameters,
} as const;

/** The fields of a row in a file. */
const costFileFields: ListFields<CostRow> = {
  value: "text",
  provider: "text",
  root_trace_id: "text",
  ended_at: "time",
  calls: "integer",
  low_usd: "number",
  high_usd: "number",
  priced_calls: "integer",
  ranged_calls: "integer",
  ranged_without: "json",
  unpriced_calls: "json",
  turns_unknown: "integer",
  input_tokens: "integer",
  output_tokens: "integer",
  cached_tokens: "integer",
  cache_write_tokens: "integer",
  reasoning_tokens: "integer",
  tokens_unknown: "integer",
  calls_without: "json",
};

/** Cost: what each route needs, records and answers. */
export const costGroup: RouteGroup<CostAnswers> = {
  tag: "Traces",
  rail: { order: 5, href: "/cost", name: "Cost", icon: "cost", key: "p" },
  endpoints: {
    ...withTwin("/cost", {
      needs: "trace.read",
      audit: "cost.read",
      reads: true,
      id: "getCost",
      summary: "What model calls cost",
      text:
        "US dollars, from the prices of the day on which a turn ended. `low_usd` and `high_usd` differ " +
        "where calls do not record how many tokens came from a cache. Calls without a price are in " +
        "`unpriced_calls` by reason, and add nothing; `turns_unknown` has their turns. Sums of tokens are of the calls that record them; " +
        "`calls_without` has the others.",
      query: costParameters,
      returns:
        "The total and one row for each value, the most expensive first or in another order.",
      failures: pageFailures,
    }),
    ...fileEndpoints(costFile),
  },
  routes: costRoutes,
};

/** GET `/cost` and its twin. */
function costRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const { ledger } = parts.store;
  let list: Promise<PriceList> | undefined;
  /** The costs with every row; of turns, those with the most tokens. */
  const readCost = async (
    c: AppContext,
    { by = "model", sort = "cost", order, ...parameters }: z.output<typeof fileParameters>,
    lenient: boolean,
  ): Promise<CostModel> => {
    const query = await queryOf(ledger, { c, parameters, lenient });
    const pending = await pendingFrames(parts);
    const prices = await (list ??= openPriceList(parts.config.prices));
    const nowMs = parts.now();
    const drawn = { nowMs, within: rangeOf(parameters, nowMs), list: prices };
    const [turns, costs, slices] = await Promise.all([
      ledger.countTurns(query),
      turnCosts(ledger, query, { by, list: prices }),
      costSlices(ledger, query, drawn),
    ]);
    const field = by === "model" || by === "turn" ? undefined : costTurnFields[by];
    const unknown = await turnsWith(ledger, query, { calls: costs.unpriced, by: field });
    const rows =
      field === undefined
        ? costs.rows
        : costs.rows.map((row) => ({
            ...row,
            turns_unknown: unknown.byValue.get(row.value) ?? 0,
          }));
    return {
      by,
      turns_counted: turns,
      total: { ...costs.total, turns_unknown: unknown.turns },
      slices,
      // Sorted here, not by the store: it has no prices, and the total is of every row.
      items: rowsInOrder(rows, (row) => columnOf(row, sort), order),
      groups: costs.rows.length,
      every_group: costs.complete,
      ...(costs.turns === undefined ? {} : { turns_with_calls: costs.turns }),
      price_list: { version: prices.version, own: prices.own },
      complete: await isComplete(parts, pending, query),
      pending_frames: pending,
    };
  };
  app.on("GET", ["/cost", "/cost.json"], async (c) => {
    const usual = answersJson(c) ? costRowsMax : pageRows;
    const { limit = usual, ...parameters } = readParameters(c, costParameters);
    const whole = await readCost(c, parameters, wantsPage(c));
    const model: CostModel = { ...whole, items: whole.items.slice(0, limit) };
    return respond(c, { model, view: costPage });
  });
  mountFiles<CostRow>(app, parts, {
    ...costFile,
    fields: costFileFields,
    async *pages(c) {
      const parameters = readParameters(c, fileParameters);
      if (parameters.by !== "turn") {
        yield (await readCost(c, parameters, false)).items;
        return;
      }
      const { by: _by, sort: _sort, order: _order, ...filters } = parameters;
      const prices = await (list ??= openPriceList(parts.config.prices));
      const query = await queryOf(ledger, { c, parameters: filters, lenient: false });
      yield* turnCostPages(ledger, query, { list: prices });
    },
  });
  return app;
}

function columnOf(row: CostRow, by: CostSort): string | number | null | undefined {
  if (by === "cost") return row.high_usd;
  if (by === "unpriced") return unpricedCalls(row);
  if (by === "value") return row.value ?? row.root_trace_id;
  return row[by];
}

async function queryOf(
  ledger: TurnReader,
  {
    c,
    parameters,
    lenient,
  }: {
    readonly c: AppContext;
    readonly parameters: Omit<z.output<typeof fileParameters>, "by" | "sort" | "order">;
    readonly lenient: boolean;
  },
): Promise<TurnQuery> {
  const reading = readingFor(c, parameters);
  const names = await knownNames(ledger, reading.scope, parameters.q);
  const reads = { typed: c.get("typed"), names, lenient };
  return { ...turnQueryOf(reading, parameters, reads), signal: c.req.raw.signal };
}
