/** @module Overview: volume and durations over time. Exact, over all turns of the filter. */
import { Hono } from "hono";

import { cellsOf } from "../../ui/display/duration-cells.ts";
import type { DurationCells } from "../../ui/display/duration-cells.ts";
import type { Bin } from "../../ui/display/turn-figures.ts";
import { queryCache } from "../../turns/query-cache.ts";
import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import type { CountGroup, FigureGroup } from "@turnproof/store";
import { turnSeries } from "../../turns/turn-series.ts";
import type { TurnSeries } from "../../turns/turn-series.ts";
import { isSettled } from "../../turns/window.ts";
import { countingOf } from "../../turns/counted-turns.ts";
import type { Counting } from "../../turns/counted-turns.ts";
import { listParameters } from "../../turns/list-parameters.ts";

/** Body of `/traces/overview.json`. */
export interface OverviewModel {
  /** Turns by their last event; over the selected range, or from the first to the last. */
  readonly bins: readonly Bin[];
  readonly turns: number;
  readonly errors: number;
  /** Durations of these turns; only when the duration chart was requested. */
  readonly durations?: DurationCells;
  /** True when everything that was received is counted. */
  readonly complete: boolean;
}

/** Its JSON, by route. */
export interface OverviewAnswers {
  readonly "GET /traces/overview.json": OverviewModel;
}

/** Overview: what each route needs, records and answers. */
export const overviewGroup: RouteGroup<OverviewAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/overview.json": {
      needs: "trace.read",
      audit: "turns.read",
      reads: true,
      id: "getOverview",
      summary: "All turns of a filter over time",
      text:
        "Exact, over all turns that pass; each is counted at the time of its last event. With " +
        "`chart=duration`, `durations` counts them by how long they took. `complete` is false while " +
        "acknowledged batches are not readable yet.",
      query: listParameters,
      returns: "Bins over time with turns and errors, and their sums.",
    },
  },
  routes: overviewRoutes,
};

/** GET `/traces/overview.json`. */
function overviewRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/overview.json", async (c) => {
    const { chart, ...parameters } = readParameters(c, listParameters);
    const counting = await countingOf(c, parts, parameters);
    return respondJson(c, await countedOverview(parts, counting, chart === "duration"));
  });
  return app;
}

const answersOf = queryCache<OverviewModel>();

/** The overview of the turns of a query. */
export function countedOverview(
  parts: Parts,
  counting: Counting,
  withDurations: boolean,
): Promise<OverviewModel> {
  const key = JSON.stringify([counting.key, withDurations]);
  return answersOf(parts).of(key, () => countOverview(parts, counting, withDurations));
}

async function countOverview(
  parts: Parts,
  { query, within }: Counting,
  withDurations: boolean,
): Promise<OverviewModel> {
  const { ledger } = parts.store;
  const complete = await isSettled(parts, query);
  const options = { nowMs: parts.now(), within };
  const figures = withDurations
    ? turnSeries((requested, by) => ledger.turnFigures(requested, by), query, options)
    : undefined;
  const counts: Promise<TurnSeries<CountGroup>> =
    figures ?? turnSeries((requested, by) => ledger.turnCounts(requested, by), query, options);
  const { total, bars } = await counts;
  return {
    bins: bars.map((bar) => ({
      fromMs: bar.fromMs,
      toMs: bar.toMs,
      turns: bar.figures?.turns ?? 0,
      errors: bar.figures?.errors ?? 0,
    })),
    turns: total?.turns ?? 0,
    errors: total?.errors ?? 0,
    ...(figures === undefined ? {} : { durations: await durationsOf(parts, await figures) }),
    complete,
  };
}

async function durationsOf(
  parts: Parts,
  { drawn, frame, bars }: TurnSeries<FigureGroup>,
): Promise<DurationCells> {
  const groups =
    frame === undefined
      ? []
      : await parts.store.ledger.turnFigures(drawn, {
          by: "duration_class",
          everyMs: frame.stepMs,
        });
  const byStart = Map.groupBy(groups, ({ from_ms: from }) => from);
  return cellsOf(
    bars.map(({ fromMs, toMs, figures }) => ({
      fromMs,
      toMs,
      turns: figures?.turns ?? 0,
      unknown: figures?.duration_unknown ?? 0,
      p50: figures?.p50_ms ?? null,
      p95: figures?.p95_ms ?? null,
      classes: new Map(
        (byStart.get(fromMs) ?? []).flatMap(({ value, turns }) =>
          typeof value === "string" ? [[Number(value), turns] as const] : [],
        ),
      ),
    })),
  );
}
