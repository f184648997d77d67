/**
 * @module Trend in the browser: the trend of all turns of an agent or a filter, in place of the
 * page's own; loaded after the page. A brush over the trend sets the range of the page.
 */
import type { Trend } from "../display/trend.ts";
import { countExtent, facetExtent } from "../display/turn-figures.ts";
import type { FacetReach } from "../display/turn-figures.ts";
import { ReleaseTable } from "../elements/release-table.tsx";
import { TrendChart } from "../elements/trend-chart.tsx";
import { watchBrush } from "./brush.ts";
import { drawChart } from "./chart-place.ts";
import { base, drawn, fetchJson, find, findAll } from "./page.ts";
import { showTimes } from "./preferences.ts";
import { addShortcuts } from "./shortcuts.ts";

/** Fields of the answer that the page uses. */
type Model = Trend & FacetReach;

/** Starts the trend of the page, if it has one. */
export function startTrend(): void {
  const place = find("[data-trend]");
  if (place === undefined) return;
  const filters = new URLSearchParams(place.dataset["trend"]);
  watchBrush();
  addShortcuts([
    {
      keys: ["r"],
      words: "The newest release and the one before",
      group: "List",
      run: () => findAll("[data-change]").at(-1)?.focus(),
    },
  ]);
  void showAll(filters);
}

/** The trend of all turns under these filters, drawn in place of the page's chart. */
async function drawTrend(filters: URLSearchParams): Promise<Model | undefined> {
  const model = await fetchJson<Model>(`${base}/traces/trend.json?${filters.toString()}`);
  if (model === undefined || model.slices.length === 0) return undefined;
  drawChart(<TrendChart trend={model} extent={countExtent(model)} />);
  return model;
}

async function showAll(filters: URLSearchParams): Promise<void> {
  const model = await drawTrend(filters);
  if (model === undefined) return;
  const reach = find("[data-trend-extent]");
  if (reach !== undefined) reach.textContent = facetExtent(model);
  const releases = find("[data-releases]");
  if (releases === undefined) return;
  releases.replaceChildren(
    drawn(<ReleaseTable releases={model.releases} place={{ base, filters }} />),
  );
  showTimes(releases);
}
