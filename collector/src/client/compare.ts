/**
 * @module Compare in the browser: keys over the comparison, and the marks of this session over its
 * form. Everything else is markup.
 */
import { startMarks } from "./marks.tsx";
import { announce, find } from "./page.ts";
import { addShortcuts } from "./shortcuts.ts";

/** Starts the page. */
export function start(): void {
  startMarks();
  const only = find<HTMLInputElement>("[data-only-changes]");
  const swap = find<HTMLAnchorElement>("[data-swap]");
  const open = find("#not-established");
  if (only === undefined || swap === undefined || open === undefined) return;
  addShortcuts([
    {
      keys: ["x"],
      words: "Changes only, or every operation",
      group: "List",
      run: () => {
        only.checked = !only.checked;
        announce(only.checked ? "Changes only" : "Every operation");
      },
    },
    { keys: ["s"], words: "Swap A and B", group: "List", run: () => swap.click() },
    {
      keys: ["n"],
      words: "To what is not established",
      group: "List",
      run: () => {
        open.tabIndex = -1;
        open.focus();
        open.scrollIntoView({ block: "start" });
      },
    },
  ]);
  document.body.dataset["ready"] = "";
}
