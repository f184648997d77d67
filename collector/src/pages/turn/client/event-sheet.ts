/**
 * @module EventSheet: in a narrow window the panel of the selected event is a sheet over the rows.
 * It is modal: what lies behind it is inert while it is open, and a press there closes it. It has
 * an entry in the history, so that Back closes it; Escape and its button do the same.
 */
import { find } from "../../../ui/client/page.ts";

const narrow = matchMedia("(max-width: 767px)");

/** True or false while the current entry of the history is one of the sheet. */
function entryState(): unknown {
  return (history.state as { readonly sheet?: unknown } | null)?.sheet;
}

/** What is on the page beside an element, but for announcements and what opens over it. */
function around(element: HTMLElement): readonly HTMLElement[] {
  const parent = element.parentElement;
  if (parent === null) return [];
  const beside = [...parent.children].filter(
    (each): each is HTMLElement =>
      each instanceof HTMLElement &&
      each !== element &&
      !each.inert &&
      !each.matches("dialog, script, [data-announce]"),
  );
  return parent === document.body ? beside : [...beside, ...around(parent)];
}

/** The sheet of a page. */
export class EventSheet {
  readonly #panel = find("[data-panel]");
  readonly #toRow: () => void;
  #behind: readonly HTMLElement[] = [];

  /** @param toRow returns the focus to the selected row */
  constructor(toRow: () => void) {
    this.#toRow = toRow;
    find("[data-sheet-close]")?.addEventListener("click", () => this.close());
    window.addEventListener("popstate", () => {
      if (entryState() === true) this.open();
      else this.#hide(true);
    });
    // What is inert is no target: a press behind the sheet arrives at an element around it.
    document.addEventListener("click", ({ target }) => {
      const panel = this.#panel ?? null;
      if (target instanceof Node && target !== panel && target.contains(panel)) this.close();
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
    this.#panel.role = "dialog";
    this.#panel.ariaModal = "true";
    this.#behind = around(this.#panel);
    for (const each of this.#behind) each.inert = true;
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
    if (this.#panel !== undefined) {
      this.#panel.role = "complementary";
      this.#panel.ariaModal = null;
    }
    for (const each of this.#behind) each.inert = false;
    this.#behind = [];
    if (toRow) this.#toRow();
  }

  /**
   * The window is wide, so the panel is beside the rows: the entry of the history stays, without
   * the sheet.
   */
  #leave(): void {
    if (!this.#isOpen) return;
    this.#hide(false);
    history.replaceState({ sheet: false }, "");
  }
}
