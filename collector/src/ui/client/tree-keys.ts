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

const openings: readonly (readonly [key: string, how: RowOpening, label: string])[] = [
  [">", "more", "Expand one level"],
  ["<", "less", "Collapse one level"],
  [")", "all", "Expand all"],
  ["(", "none", "Collapse all"],
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
    { keys: ["j"], label: "Next row", group, run: () => grid.move(1) },
    { keys: ["k"], label: "Previous row", group, run: () => grid.move(-1) },
    { keys: ["ArrowDown"], label: "Next row", group, run: inGrid(() => grid.move(1)) },
    { keys: ["ArrowUp"], label: "Previous row", group, run: inGrid(() => grid.move(-1)) },
    { keys: ["ArrowLeft"], label: "Collapse, or parent", group, run: inGrid(() => grid.left()) },
    { keys: ["ArrowRight"], label: "Expand, or child", group, run: inGrid(() => grid.right()) },
    { keys: ["PageDown"], label: "Page down", group, run: inGrid(() => grid.page(1)) },
    { keys: ["PageUp"], label: "Page up", group, run: inGrid(() => grid.page(-1)) },
    { keys: ["Home"], label: "First row", group, run: inGrid(() => grid.move(-1e9)) },
    { keys: ["End"], label: "Last row", group, run: inGrid(() => grid.move(1e9)) },
    { keys: ["Enter"], label: "Open the event", group, run: inGrid(onEnter) },
    ...openings.map(([key, how, label]) => ({
      keys: [key] as const,
      label,
      group,
      run: (): void => open(how),
    })),
  ]);
  for (const button of findAll("[data-open]")) {
    button.addEventListener("click", () => open(button.dataset["open"] as RowOpening));
  }
}
