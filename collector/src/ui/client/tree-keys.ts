/**
 * @module TreeKeys: the keys of a tree grid, one set for every page that has one. Arrows, page
 * keys, Home and End apply only while the grid has the focus; letters work anywhere on the page.
 */
import type { TreeRow } from "../display/tree-rows.ts";
import { countText } from "../display/figures.ts";
import { announce, findAll } from "./page.ts";
import { addShortcuts } from "./shortcuts.ts";
import type { Shortcut } from "./shortcuts.ts";
import type { TreeGrid } from "./tree-grid.ts";

type RowOpening = Parameters<TreeGrid<TreeRow>["open"]>[0];

const openings: readonly (readonly [key: string, how: RowOpening, words: string])[] = [
  [">", "more", "Open one level more"],
  ["<", "less", "Close one level"],
  [")", "all", "Open everything"],
  ["(", "none", "Close everything"],
];

/** Adds the keys of a grid, and starts its buttons `data-open`. */
export function addTreeKeys<R extends TreeRow>(
  grid: TreeGrid<R>,
  group: Shortcut["group"],
  onEnter: () => void,
): void {
  const inGrid =
    (run: () => void) =>
    (event: KeyboardEvent): boolean => {
      if ((event.target as Element).closest("[role=treegrid]") === null) return false;
      run();
      return true;
    };
  const open = (how: RowOpening): void => {
    const shown = grid.open(how);
    announce(`${countText(shown)} ${shown === 1 ? "row" : "rows"}`);
  };
  addShortcuts([
    { keys: ["j"], words: "Next row", group, run: () => grid.move(1) },
    { keys: ["k"], words: "Row before", group, run: () => grid.move(-1) },
    { keys: ["ArrowDown"], words: "Next row", group, run: inGrid(() => grid.move(1)) },
    { keys: ["ArrowUp"], words: "Row before", group, run: inGrid(() => grid.move(-1)) },
    { keys: ["ArrowLeft"], words: "Collapse, or parent", group, run: inGrid(() => grid.left()) },
    { keys: ["ArrowRight"], words: "Expand, or child", group, run: inGrid(() => grid.right()) },
    { keys: ["PageDown"], words: "A page on", group, run: inGrid(() => grid.page(1)) },
    { keys: ["PageUp"], words: "A page back", group, run: inGrid(() => grid.page(-1)) },
    { keys: ["Home"], words: "First row", group, run: inGrid(() => grid.move(-1e9)) },
    { keys: ["End"], words: "Last row", group, run: inGrid(() => grid.move(1e9)) },
    { keys: ["Enter"], words: "Into the event", group, run: inGrid(onEnter) },
    ...openings.map(([key, how, words]) => ({
      keys: [key] as const,
      words,
      group,
      run: (): void => open(how),
    })),
  ]);
  for (const button of findAll("[data-open]")) {
    button.addEventListener("click", () => open(button.dataset["open"] as RowOpening));
  }
}
