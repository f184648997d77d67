/**
 * @module EventSheet: in a narrow window the panel of the selected event is a sheet over the rows.
 * It has an entry in the history, so that Back closes it; Escape and its button do the same.
 */
import { find } from "../../../ui/client/page.ts";

const narrow = matchMedia("(max-width: 767px)");

/** True or false while the current entry of the history is one of the sheet. */
function entryState(): unknown {
  return (history.state as { readonly sheet?: unknown } | null)?.sheet;
}

/** The sheet of a page. */
export class EventSheet {
  readonly #panel = find("[data-panel]");
  readonly #toRow: () => void;

  /** @param toRow returns the focus to the selected row */
  constructor(toRow: () => void) {
    this.#toRow = toRow;
    find("[data-sheet-close]")?.addEventListener("click", () => this.close());
    window.addEventListener("popstate", () => {
      if (entryState() === true) this.open();
      else this.#hide(true);
    });
    // The focus never rests on something that the sheet covers.
    this.#panel?.addEventListener("focusout", ({ relatedTarget: next }) => {
      if (next instanceof Node && this.#panel?.contains(next) === false) this.#leave();
    });
    narrow.addEventListener("change", () => this.#leave());
  }

  get #isOpen(): boolean {
    return this.#panel?.dataset["open"] !== undefined;
  }

  /** Slides it up and focuses it; does nothing in a wide window. */
  open(): void {
    if (!narrow.matches || this.#panel === undefined || this.#isOpen) return;
    this.#panel.dataset["open"] = "";
    if (entryState() === undefined) history.pushState({ sheet: true }, "");
    else history.replaceState({ sheet: true }, "");
    this.#panel.focus({ preventScroll: true });
  }

  /** Opens it where the page is loaded again, or returned to, while it was open. */
  resume(): void {
    if (entryState() === true) this.open();
  }

  /** Closes it as Back does; false where it is not open. */
  close(): boolean {
    if (!this.#isOpen) return false;
    this.#hide(true);
    history.back();
    return true;
  }

  #hide(toRow: boolean): void {
    if (!this.#isOpen) return;
    delete this.#panel?.dataset["open"];
    if (toRow) this.#toRow();
  }

  /** The focus is elsewhere already: the entry of the history stays, without the sheet. */
  #leave(): void {
    if (!this.#isOpen) return;
    this.#hide(false);
    history.replaceState({ sheet: false }, "");
  }
}
