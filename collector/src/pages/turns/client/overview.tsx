/**
 * @module Overview in the browser: the histogram of all turns under the filters, in place of the
 * page's own. It is loaded after the page, so that the list never waits for it.
 */
import { parametersOf, termsOf } from "../../../ui/display/filter-terms.ts";
import type { DurationCells } from "../../../ui/display/duration-cells.ts";
import type { Bin } from "../../../ui/display/turn-figures.ts";
import { DurationChart } from "../../../ui/elements/duration-chart.tsx";
import { Histogram } from "../../../ui/elements/histogram.tsx";
import { drawChart, extentOf } from "../../../ui/client/chart-place.ts";
import { base, fetchJson } from "../../../ui/client/page.ts";
import { renewal } from "../../../ui/client/renewal.ts";
import { drawTrend } from "../../../ui/client/trend.tsx";

/** Fields of the answer that the page uses. */
interface Model {
  readonly bins: readonly Bin[];
  readonly turns: number;
  readonly durations?: DurationCells;
  readonly complete: boolean;
}

/** The overview of a page. */
export interface Overview {
  /** True when the histogram covers all turns. */
  readonly shown: boolean;
  /** Rows were added or removed: loads it again. */
  renew(): void;
}

/** Loads the overview of the page with this query and draws it. */
export function overviewOf(query: URLSearchParams): Overview {
  // Words that the page did not understand are left out of the request.
  const all = new URLSearchParams(parametersOf(termsOf(query)));
  const filters = new URLSearchParams(all);
  const trend = query.get("chart") === "trend";
  if (query.get("chart") === "duration") filters.set("chart", "duration");
  let shown = false;
  const request = async (): Promise<void> => {
    const answer = await fetchJson<Model>(`${base}/traces/overview.json?${filters.toString()}`);
    if (answer === undefined || answer.bins.length === 0) return;
    shown = true;
    draw(answer);
  };
  const requestTrend = async (): Promise<void> => {
    if ((await drawTrend(all)) !== undefined) shown = true;
  };
  const renew = renewal(trend ? requestTrend : request);
  return {
    get shown() {
      return shown;
    },
    renew,
  };
}

function draw(model: Model): void {
  const { bins, durations } = model;
  const extent = extentOf(model);
  drawChart(
    durations === undefined ? (
      <Histogram bins={bins} of={model.turns} extent={extent} />
    ) : (
      <DurationChart cells={durations} of={model.turns} extent={extent} />
    ),
  );
}
