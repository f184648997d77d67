/**
 * @module Trend in the browser: a brush over it sets the range of the page, and a key leads to its
 * newest release.
 */
import { watchBrush } from "./brush.ts";
import { find, findAll } from "./page.ts";
import { addShortcuts } from "./shortcuts.ts";

/** Starts the trend of the page, if it has one. */
export function startTrend(): void {
  if (find("[data-trend]") === undefined) return;
  watchBrush();
  addShortcuts([
    {
      keys: ["r"],
      label: "The newest release and the one before",
      group: "List",
      run: () => findAll("[data-change]").at(-1)?.focus(),
    },
  ]);
}
