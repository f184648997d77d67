/**
 * @module Rows: moving through any list of the pages. Rows are the links marked `data-row`; `j` and
 * `k` move the focus among them, and Enter is the link's own.
 */
import { findAll } from "./page.ts";
import { addShortcuts } from "./shortcuts.ts";

/** The rows' links in the order of the page. */
function rowLinks(): readonly HTMLElement[] {
  return findAll("[data-row]").filter((link) => link.getClientRects().length > 0);
}

/** The row that has the focus, or the one that had it last. */
export function currentRow(): HTMLElement | undefined {
  const links = rowLinks();
  return links.find((link) => link === document.activeElement);
}

function move(by: number): boolean {
  const links = rowLinks();
  if (links.length === 0) return false;
  const at = links.findIndex((link) => link === document.activeElement);
  const next = at === -1 ? (by > 0 ? 0 : links.length - 1) : at + by;
  const link = links[Math.min(Math.max(next, 0), links.length - 1)];
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
  return true;
}

/** Adds the keys of lists; a page with rows of its own kind replaces them. */
export function roveRows(): void {
  addShortcuts([
    { keys: ["j"], words: "Next row", group: "List", run: () => move(1) },
    { keys: ["k"], words: "Row before", group: "List", run: () => move(-1) },
    {
      keys: ["Enter"],
      words: "Open the row",
      group: "List",
      run: () => false,
    },
  ]);
}
