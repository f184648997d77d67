/**
 * @module Compare in the browser: the tree grid with its keys, and the bar of marked turns on the
 * form that selects two turns.
 */
import { CompareGrid } from "./client/compare-grid.tsx";
import type { CompareColumns } from "./client/compare-grid.tsx";
import { fragment, setFragment } from "../../ui/client/fragment.ts";
import { startMarks } from "../../ui/client/marks.tsx";
import { announce, fetchJson, find, inColumns, twin } from "../../ui/client/page.ts";
import { addShortcuts } from "../../ui/client/shortcuts.ts";
import { addTreeKeys } from "../../ui/client/tree-keys.ts";

/** Starts the page. */
export function start(): void {
  // Beside the comparison itself the bar of marks would lie over what it led to.
  if (find(".compare") === undefined) startMarks();
  if (find("[data-ops]") !== undefined) void load();
}

async function load(): Promise<void> {
  addPageKeys();
  const model = await fetchJson<CompareColumns>(inColumns(twin));
  const only = find<HTMLInputElement>("[data-only-changes]");
  if (model === undefined || only === undefined) {
    announce("The operations could not be loaded; the first rows stay as they are.");
    return;
  }
  find("[data-op-more]")?.remove();
  const tools = find("[data-op-tools]");
  if (tools !== undefined) tools.hidden = false;
  const grid = new CompareGrid(model, () => (only.checked = false));
  const group = "List" as const;
  const narrow = (): void => {
    grid.showOnlyChanges(only.checked);
    setFragment({ rows: only.checked ? "changes" : "all" });
    announce(only.checked ? "Changes only" : "Every operation");
  };
  only.addEventListener("change", narrow);
  addTreeKeys(grid, group, () => {
    const { href } = grid;
    if (href !== undefined) location.assign(href);
  });
  const step = (by: 1 | -1): void => {
    if (!grid.stepChange(by)) announce("Nothing changed");
  };
  addShortcuts([
    { keys: ["]"], label: "Next change", group, run: () => step(1) },
    { keys: ["["], label: "Previous change", group, run: () => step(-1) },
    {
      keys: ["x"],
      label: "Changes only, or every operation",
      group,
      run: () => {
        only.checked = !only.checked;
        narrow();
      },
    },
  ]);
  const requested = fragment().get("rows");
  if (requested !== null) only.checked = requested === "changes";
  if (only.checked) grid.showOnlyChanges(true);
  window.addEventListener("turnproof:preference", () => grid.measure());
  document.body.dataset["ready"] = "";
  performance.mark("turnproof:ready");
}

/** Keys of the page outside of the grid. */
function addPageKeys(): void {
  const swap = find<HTMLAnchorElement>("[data-swap]");
  const open = find("#not-established");
  if (swap === undefined || open === undefined) return;
  addShortcuts([
    { keys: ["s"], label: "Swap A and B", group: "List", run: () => swap.click() },
    {
      keys: ["n"],
      label: "To what is not established",
      group: "List",
      run: () => {
        open.tabIndex = -1;
        open.focus();
        open.scrollIntoView({ block: "start" });
      },
    },
  ]);
}
