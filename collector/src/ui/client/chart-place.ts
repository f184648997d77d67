/**
 * @module ChartPlace: where a page draws its turns over time, and which turns these are, in words.
 */
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

/** Which turns a chart covers, in words. */
export function extentOf({ complete }: { readonly complete: boolean }): string {
  return complete ? "in all" : "so far";
}
