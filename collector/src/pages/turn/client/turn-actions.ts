/**
 * @module TurnActions: copies parts of a turn: a link, also to one row of its waterfall, a
 * request, its JSON and its trace id.
 */
import { exactTerm } from "../../../ui/display/row-find.ts";
import { copy } from "../../../ui/client/copying.ts";
import { announce, fetchJson, find, findAll, twin } from "../../../ui/client/page.ts";
import { addShortcuts } from "../../../ui/client/shortcuts.ts";

/** Connects the buttons beside the title, and `y` in the waterfall. */
export function startActions(): void {
  addShortcuts([
    {
      keys: ["y"],
      label: "Copy a link to the row, or to the page",
      group: "Everywhere",
      run: () => void copy(linkOf(document.activeElement), "Link"),
    },
  ]);
  const box = find("[data-actions]");
  if (box === undefined) return;
  box.hidden = false;
  const address = `${location.origin}${twin}`;
  const texts: { readonly [action: string]: () => Promise<string> | string } = {
    link: () => location.href,
    trace: () => find("[data-copy-name='Trace id']")?.dataset["copy"] ?? "",
    curl: () => `curl -sH "Authorization: Bearer $TURNPROOF_UI_AUTH_TOKEN" '${address}'`,
    json: async () => JSON.stringify(await fetchJson(twin), null, 2),
  };
  for (const button of findAll("[data-action]", box)) {
    const text = texts[button.dataset["action"] ?? ""];
    button.addEventListener("click", () => {
      if (text === undefined) mark();
      else void copyTo(button, text);
    });
  }
}

async function copyTo(button: HTMLElement, text: () => Promise<string> | string): Promise<void> {
  const copied = await text();
  if (copied === "") announce("There is nothing to copy");
  else await copy(copied, find("[data-word]", button)?.textContent ?? "It", button);
}

/** The action of the key, so that button and key never differ. */
function mark(): void {
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }));
}

/** The page's address, or with the focused row found in it. */
function linkOf(focused: Element | null): string {
  const event = focused?.closest<HTMLElement>("[data-wf] [data-event]")?.dataset["event"];
  if (event === undefined) return location.href;
  const link = new URL(location.href);
  link.hash = new URLSearchParams({ find: exactTerm("event", event) }).toString();
  return link.href;
}
