/**
 * @module RowsChart: the chart of a list's rows, drawn by the server and, while turns arrive, by
 * the browser, until all turns of the filter are counted.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { durationCells, lastingOf } from "../display/duration-cells.ts";
import { plausibleOf } from "../display/plausible-time.ts";
import { trendOf } from "../display/trend.ts";
import { binsOf } from "../display/turn-figures.ts";
import { DurationChart } from "./duration-chart.tsx";
import { Histogram } from "./histogram.tsx";
import { TrendChart } from "./trend-chart.tsx";

const extent = "on this page";

/** `chart` from the address: `duration`, `trend`, or null for the count. */
export const RowsChart: FC<{
  readonly items: readonly TurnRow[];
  readonly chart: string | null;
  readonly nowMs: number;
}> = ({ items, chart, nowMs }) =>
  chart === "duration" ? (
    <DurationChart
      cells={durationCells(plausibleOf(lastingOf(items), nowMs))}
      of={items.length}
      extent={extent}
    />
  ) : chart === "trend" ? (
    <TrendChart trend={trendOf(items, nowMs)} extent={extent} />
  ) : (
    <Histogram bins={binsOf(items, nowMs)} of={items.length} extent={extent} />
  );
