/** @module ChartPlace: where a page draws its turns over time. */
import { drawn, find } from "./page.ts";
import { showTimes } from "./preferences.ts";

/** Draws a chart in its place, unless a brush is in use on it. */
export function drawChart(chart: unknown): void {
  const place = find("[data-histogram-place]");
  if (place === undefined) return;
  if (place.dataset["brushing"] !== undefined) {
    setTimeout(() => drawChart(chart), 250);
    return;
  }
  place.replaceChildren(drawn(chart));
  showTimes(place);
}
