/**
 * @module TurnsChart: the chart over the list of turns, of all turns of its filter: how many there
 * are over time, how long they take, or how they end. Drawn by the server and, when turns arrive,
 * by the browser.
 */
import type { FC } from "hono/jsx";

import type { DurationCells } from "../display/duration-cells.ts";
import type { Trend } from "../display/trend.ts";
import { countExtent } from "../display/turn-figures.ts";
import type { Bin } from "../display/turn-figures.ts";
import { DurationChart } from "./duration-chart.tsx";
import { Histogram } from "./histogram.tsx";
import { TrendChart } from "./trend-chart.tsx";

/** Turns over time, with their durations where that chart is chosen. */
interface CountedBins {
  readonly bins: readonly Bin[];
  readonly turns: number;
  readonly durations?: DurationCells;
}

/** Counted turns of a chart. */
export type ChartModel = (CountedBins | Trend) & { readonly complete: boolean };

/** The chart; nothing is drawn without turns. */
export const TurnsChart: FC<{ readonly of: ChartModel }> = ({ of }) => {
  const extent = countExtent(of);
  if ("slices" in of) return <TrendChart trend={of} extent={extent} />;
  const { bins, turns, durations } = of;
  return durations === undefined ? (
    <Histogram bins={bins} of={turns} extent={extent} />
  ) : (
    <DurationChart cells={durations} of={turns} extent={extent} />
  );
};
