/**
 * @module ChartPlace: where a page draws its turns over time, and of which turns they are in words.
 */
import { drawn, find } from "./page.ts";
import { showTimes } from "./preferences.ts";

/** Draws a chart in its place; bars are not taken away from under a brush. */
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

/** Of which turns a chart is, in words. */
export function extentOf({ complete }: { readonly complete: boolean }): string {
  return complete ? "in all" : "so far";
}
