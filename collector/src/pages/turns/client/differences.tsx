/**
 * @module Differences in the browser: loaded when the reader opens them, for the page's filter
 * compared with the other turns of the same time.
 */
import { parametersOf, termsOf } from "../../../ui/display/filter-terms.ts";
import { DifferencesTable } from "../../../ui/elements/differences-table.tsx";
import type { Compared } from "../../../ui/elements/differences-table.tsx";
import { announce, base, drawn, fetchJson, find, findAll } from "../../../ui/client/page.ts";
import { addShortcuts } from "../../../ui/client/shortcuts.ts";

/** Starts the differences of the page with this query; without a filter there are none. */
export function startDifferences(query: URLSearchParams): void {
  const card = find<HTMLDetailsElement>("[data-differences]");
  const place = find("[data-differences-place]", card);
  if (card === undefined || place === undefined) return;
  card.hidden = false;
  // Words that the page did not understand are left out of the request.
  const filters = new URLSearchParams(parametersOf(termsOf(query)));
  let requested = false;
  const request = async (): Promise<void> => {
    if (!card.open || requested) return;
    requested = true;
    const of = await fetchJson<Compared>(`${base}/traces/differences.json?${filters.toString()}`);
    if (of === undefined) {
      requested = false;
      place.textContent = "Could not count the differences. Close and reopen to retry.";
      announce("The differences could not be counted");
      return;
    }
    const at = { path: `${base}/traces`, terms: termsOf(query), query };
    const draw = (whole: boolean): void => {
      place.replaceChildren(drawn(<DifferencesTable of={of} place={at} whole={whole} />));
    };
    draw(false);
    find("[data-more-values]", place)?.addEventListener("click", () => {
      const shown = new Set(findAll("tbody a", place).map((link) => link.getAttribute("href")));
      draw(true);
      // The button is gone: the reader goes on at the first value that it has shown.
      findAll("tbody a", place)
        .find((link) => !shown.has(link.getAttribute("href")))
        ?.focus();
    });
    announce("Differences counted");
  };
  card.addEventListener("toggle", () => void request());
  addShortcuts([
    {
      keys: ["w"],
      label: "What sets these turns apart",
      group: "List",
      run: () => {
        card.open = !card.open;
        find("summary", card)?.focus();
      },
    },
  ]);
}
