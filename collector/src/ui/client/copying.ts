/**
 * @module Copying: shortened ids are copied in full, by pointer or keyboard, and `y` copies a link
 * to the current element. Without script they are plain text.
 */
import { announce, copyText, find, findAll } from "./page.ts";
import { currentRow } from "./rows.ts";
import { addShortcuts } from "./shortcuts.ts";

const shownMs = 1_200;

/** Copies, announces it, and marks the control for a moment. */
export async function copy(text: string, what: string, control?: HTMLElement): Promise<void> {
  const done = await copyText(text);
  announce(done ? `${what} copied` : "The browser did not let it be copied");
  if (!done || control === undefined) return;
  control.dataset["done"] = "";
  setTimeout(() => delete control.dataset["done"], shownMs);
}

/** Makes the ids in a part of the page copyable. */
export function makeCopyable(within: ParentNode): void {
  for (const button of findAll("[data-copy-before]", within)) button.hidden = false;
  for (const id of findAll("[data-copy]:not([role])", within)) {
    id.setAttribute("role", "button");
    id.tabIndex = 0;
    id.title = `Copy ${id.dataset["copy"] ?? ""}`;
  }
}

/** Makes the ids of the page copyable, and adds the keys. */
export function startCopying(): void {
  makeCopyable(document);
  const take = (event: Event): boolean => {
    const id = (event.target as Element).closest<HTMLElement>("[data-copy], [data-copy-before]");
    if (id === null) return false;
    // A button copies what stands before it.
    const text = id.dataset["copy"] ?? id.previousElementSibling?.textContent ?? "";
    void copy(text, id.dataset["copyName"] ?? "Id", id);
    return true;
  };
  document.addEventListener("click", take);
  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.key !== "Enter" && event.key !== " ") return;
    if (target.matches("[data-copy]") && take(event)) event.preventDefault();
  });
  addShortcuts([
    {
      keys: ["y"],
      label: "Copy a link to the row, or to the page",
      group: "Everywhere",
      run: () => {
        const link = currentRow();
        const row = link instanceof HTMLAnchorElement ? link.href : undefined;
        void copy(row ?? location.href, "Link");
      },
    },
    {
      keys: ["Y"],
      label: "Copy the trace id",
      group: "Everywhere",
      run: () => {
        const row = currentRow()?.closest<HTMLElement>("[data-root]")?.dataset["root"];
        const id = row ?? find("[data-copy-name='Trace id']")?.dataset["copy"] ?? "";
        if (id === "") announce("No trace is chosen");
        else void copy(id, "Trace id");
      },
    },
  ]);
}
