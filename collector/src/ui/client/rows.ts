/**
 * @module Rows: keyboard navigation of the pages' lists. Rows are the links marked `data-row`; `j`
 * and `k` move the focus among them, and Enter is the link's own. The rows of a table are one tab
 * stop: the row that had the focus last, or the first.
 */
import { fragment, setFragment } from "./fragment.ts";
import { find, findAll } from "./page.ts";
import { addShortcuts } from "./shortcuts.ts";

/** Key of the row that had the focus last, valid also after its list was redrawn. */
let lastRow: string | undefined;

/** The rows' links in document order. */
function rowLinks(): readonly HTMLElement[] {
  return findAll("[data-row]").filter((link) => link.getClientRects().length > 0);
}

/** The row that has the focus. */
export function currentRow(): HTMLElement | undefined {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && "row" in focused.dataset ? focused : undefined;
}

const nameOf = (link: HTMLElement): string =>
  link.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? link.getAttribute("href") ?? "";

/** Pixels at the top of the window that the bar and the head of the row's table cover. */
function coveredBy(row: HTMLElement): number {
  const heads = [find(".bar"), row.closest("table")?.tHead?.rows[0]?.cells[0]];
  return heads.reduce((sum, head) => sum + (head?.getBoundingClientRect().height ?? 0), 0);
}

function go(link: HTMLElement | undefined): boolean {
  if (link === undefined) return false;
  document.documentElement.style.scrollPaddingTop = `${coveredBy(link)}px`;
  link.focus({ preventScroll: true });
  (link.closest("tr") ?? link).scrollIntoView({ block: "nearest" });
  return true;
}

/** Moves by that many rows; from outside to the last focused row, or else to the first or last. */
function move(by: number): boolean {
  const links = rowLinks();
  const at = links.findIndex((link) => link === document.activeElement);
  if (at === -1) {
    const left = links.find((link) => nameOf(link) === lastRow);
    return go(left ?? (by > 0 ? links[0] : links.at(-1)));
  }
  return go(links[Math.min(Math.max(at + by, 0), links.length - 1)]);
}

/** The row of this entry of the history, where its list has no keys. */
function rowOfEntry(): string | null {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "row" in state ? String(state.row) : null;
}

/** The row that the address or the history names, which had the focus when the page was left. */
function rowOfAddress(): void {
  const key = fragment().get("row") ?? rowOfEntry();
  if (key === null || document.activeElement !== document.body) return;
  const link = rowLinks().find((one) => nameOf(one) === key);
  if (link === undefined) return;
  lastRow = key;
  go(link);
}

/** Restores the focus to its row after its list was redrawn. */
export function backToRow(): void {
  rowLinks()
    .find((link) => nameOf(link) === lastRow)
    ?.focus({ preventScroll: true });
}

/** Rows in the window's height, less one for context. */
function pageOf(row: HTMLElement): number {
  const height = (row.closest("tr") ?? row).getBoundingClientRect().height;
  const room = window.innerHeight - coveredBy(row);
  return Math.max(Math.floor(room / Math.max(height, 1)) - 1, 1);
}

/** Keys that scroll the page unless a row has the focus. */
const onRow = (run: (row: HTMLElement) => boolean) => (): boolean => {
  const row = currentRow();
  return row !== undefined && run(row);
};

/** Makes each table of rows one tab stop. */
function rove(): void {
  for (const [table, links] of Map.groupBy(findAll("[data-row]"), (row) => row.closest("table"))) {
    if (table === null) continue;
    const stop = links.find((link) => nameOf(link) === lastRow) ?? links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  }
}

/** Adds the keys of lists; a page with its own kind of rows replaces them. */
export function roveRows(): void {
  rowOfAddress();
  rove();
  window.addEventListener("turnproof:rows", rove);
  window.addEventListener("pageshow", rowOfAddress);
  document.addEventListener("focusin", () => {
    const row = currentRow();
    if (row === undefined || nameOf(row) === lastRow) return;
    lastRow = nameOf(row);
    // The selected row is in the address, so a link or the Back button selects it again.
    if (row.closest("[data-key]") !== null) setFragment({ row: lastRow });
    else history.replaceState({ row: lastRow }, "");
    rove();
  });
  const group = "List" as const;
  addShortcuts([
    { keys: ["j"], label: "Next row", group, run: () => move(1) },
    { keys: ["k"], label: "Previous row", group, run: () => move(-1) },
    { keys: ["ArrowDown"], label: "Next row", group, run: onRow(() => move(1)) },
    { keys: ["ArrowUp"], label: "Previous row", group, run: onRow(() => move(-1)) },
    { keys: ["PageDown"], label: "Page down", group, run: onRow((row) => move(pageOf(row))) },
    { keys: ["PageUp"], label: "Page up", group, run: onRow((row) => move(-pageOf(row))) },
    { keys: ["Home"], label: "First row", group, run: onRow(() => move(-1e9)) },
    { keys: ["End"], label: "Last row", group, run: onRow(() => move(1e9)) },
    { keys: ["Enter"], label: "Open the row", group, run: () => false },
  ]);
}
