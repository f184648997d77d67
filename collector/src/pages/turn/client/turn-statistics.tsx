/**
 * @module TurnStatistics in the browser: the table by the chosen grouping, sorted by any column; a
 * line finds its rows in the waterfall. The choice is in the address of the page.
 */
import { dimensions, sortLines, turnStatistics } from "../../../ui/display/turn-statistics.ts";
import type { Dimension, StatisticsColumn } from "../../../ui/display/turn-statistics.ts";
import type { EventsOf } from "../../../ui/display/row-find.ts";
import type { WaterfallModel } from "../../../ui/display/waterfall-rows.ts";
import { StatisticsTable } from "../../../ui/elements/statistics-table.tsx";
import type { Sorting } from "../../../ui/elements/statistics-table.tsx";
import { fragment, onFragment, setFragment } from "../../../ui/client/fragment.ts";
import { drawn, find, findAll } from "../../../ui/client/page.ts";
import { addShortcuts } from "../../../ui/client/shortcuts.ts";

const first: Sorting = { column: "self", descending: true };
const columns: readonly string[] = [
  "value",
  "count",
  "unknown",
  "errors",
  "total",
  "self",
  "mean",
  "p95",
  "max",
  "share",
] satisfies readonly StatisticsColumn[];

/** Starts the statistics of the page; `request` finds rows in the waterfall. */
export function startStatistics(
  model: WaterfallModel,
  eventsOf: EventsOf,
  request: (text: string) => void,
): void {
  const card = find<HTMLDetailsElement>("[data-statistics]");
  const place = find("[data-statistics-place]", card);
  const choices = find("[data-statistics-by]", card);
  if (card === undefined || place === undefined || choices === undefined) return;
  choices.hidden = false;
  let stale = true;
  const show = (): void => {
    if (!card.open || !stale) return;
    stale = false;
    const by = dimensionOf(fragment());
    const sorting = sortingOf(fragment());
    const lines = sortLines(
      turnStatistics(model, eventsOf, by),
      sorting.column,
      sorting.descending,
    );
    place.replaceChildren(
      drawn(<StatisticsTable lines={lines} by={by} sorting={sorting} sortable />),
    );
    for (const button of findAll("[data-by]", choices)) {
      button.setAttribute("aria-pressed", String(button.dataset["by"] === by));
    }
  };
  const renew = (): void => {
    stale = true;
    if (fragment().has("by") || fragment().has("sort")) card.open = true;
    show();
  };
  card.addEventListener("toggle", show);
  choices.addEventListener("click", (event) => {
    const by = (event.target as Element).closest<HTMLElement>("[data-by]")?.dataset["by"];
    if (by === undefined) return;
    setFragment({ by });
    renew();
  });
  place.addEventListener("click", (event) => {
    const target = event.target as Element;
    const line = target.closest<HTMLElement>("[data-statistic]");
    const column = target.closest<HTMLElement>("[data-sort]")?.dataset["sort"];
    if (line !== null) {
      event.preventDefault();
      request(line.dataset["statistic"] ?? "");
    } else if (column !== undefined) {
      setFragment({ sort: nextSort(column, sortingOf(fragment())) });
      renew();
      // The head was redrawn; a keyboard user keeps the focus on it.
      find(`[data-sort="${column}"]`, place)?.focus();
    }
  });
  onFragment(renew);
  addShortcuts([
    {
      keys: ["s"],
      label: "Statistics of the turn",
      group: "Turn",
      run: () => {
        card.open = !card.open;
        show();
        find("summary", card)?.focus();
        card.scrollIntoView({ block: "nearest" });
      },
    },
  ]);
  renew();
}

function dimensionOf(state: URLSearchParams): Dimension {
  return dimensions.find(([by]) => by === state.get("by"))?.[0] ?? "op";
}

/** `-total` sorts by total, largest first. */
function sortingOf(state: URLSearchParams): Sorting {
  const text = state.get("sort") ?? "";
  const column = text.replace(/^-/, "");
  if (!columns.includes(column)) return first;
  return { column: column as StatisticsColumn, descending: text.startsWith("-") };
}

/** The same column in the other direction; a new one largest first, names ascending. */
function nextSort(column: string, { column: now, descending }: Sorting): string {
  if (column === now) return `${descending ? "" : "-"}${column}`;
  return column === "value" ? column : `-${column}`;
}
