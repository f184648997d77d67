/**
 * @module Overview in the browser: the chart of all turns under the filters, counted again when
 * rows arrive. The page comes with it.
 */
import { parametersOf, termsOf } from "../../../ui/display/filter-terms.ts";
import { TurnsChart } from "../../../ui/elements/turns-chart.tsx";
import type { ChartModel } from "../../../ui/elements/turns-chart.tsx";
import { drawChart } from "../../../ui/client/chart-place.ts";
import { base, fetchJson } from "../../../ui/client/page.ts";
import { renewal } from "../../../ui/client/renewal.ts";

/** Loads the chart of the page with this query when the returned function is called. */
export function overviewOf(query: URLSearchParams): () => void {
  // Words that the page did not understand are left out of the request.
  const filters = new URLSearchParams(parametersOf(termsOf(query)));
  const chart = query.get("chart");
  if (chart === "duration") filters.set("chart", chart);
  const path = chart === "trend" ? "/traces/trend.json" : "/traces/overview.json";
  const request = async (): Promise<void> => {
    const model = await fetchJson<ChartModel>(`${base}${path}?${filters.toString()}`);
    if (model !== undefined) drawChart(<TurnsChart of={model} />);
  };
  return renewal(request);
}
