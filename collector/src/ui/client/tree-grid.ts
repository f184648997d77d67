/**
 * @module TreeGrid: the rows of a tree in the browser, possibly thousands. Only visible rows are
 * in the document; the focused row stays there too, so that the focus is never lost. The visible
 * range is measured on scroll or resize and cached, so that drawing never forces a layout.
 */
import {
  allCollapsed,
  oneLevelLess,
  oneLevelMore,
  rowsAbove,
  visibleRows,
} from "../display/tree-rows.ts";
import type { TreeRow } from "../display/tree-rows.ts";
import { RowTops } from "../display/row-tops.ts";
import { whilePrinted } from "./printing.ts";

/** Rows beyond the edges that are drawn ahead of scrolling. */
const overscan = 8;
/** Most printed rows; some thirty sheets. */
const printedRowsMax = 1_000;

/**
 * The elements of a grid: the scroll container, the grid in it with its head, the container of the
 * rows.
 */
export interface GridPlaces {
  readonly scroll: HTMLElement;
  readonly grid: HTMLElement;
  readonly body: HTMLElement;
}

/** Callbacks of a grid. */
export interface GridEvents<R> {
  /** A row is selected; the panel shows it. */
  readonly onSelect: (row: R, index: number) => void;
  readonly onView?: () => void;
  /** A filtered row had to be shown, so the filter is off. */
  readonly onKeepAll: () => void;
}

/** Present state of a row in the tree. */
export interface TreeState {
  readonly index: number;
  readonly collapsed: boolean;
  readonly focused: boolean;
  readonly selected: boolean;
}

/** A tree grid; a subclass draws rows and calls `start` once it can draw. */
export abstract class TreeGrid<R extends TreeRow> {
  readonly rows: readonly R[];
  readonly #places: GridPlaces;
  readonly #events: GridEvents<R>;
  readonly #drawn = new Map<number, HTMLElement>();
  #collapsed = new Set<number>();
  #kept: ReadonlySet<number> | undefined;
  #visible: Int32Array = new Int32Array();
  #placeOf: Int32Array = new Int32Array();
  #focused = 0;
  #selected = -1;
  #rowHeight = 28;
  #lineHeight = 0;
  #linesMax = 0;
  #tops = new RowTops([]);
  #headHeight = 28;
  #height = 0;
  #top = 0;
  #requested = false;
  #stale = false;
  #printed = false;
  #entered = false;

  protected constructor(rows: readonly R[], places: GridPlaces, events: GridEvents<R>) {
    this.rows = rows;
    this.#places = places;
    this.#events = events;
  }

  /** The element of one row. */
  protected abstract drawRow(row: R, state: TreeState): HTMLElement;

  /** Lines of a row below its first; the style bounds them. */
  protected linesOf(_row: R): number {
    return 0;
  }

  /** Called before all visible rows are redrawn. */
  protected beforeRedraw(): void {}

  protected start(): void {
    const { scroll, body } = this.#places;
    body.dataset["virtual"] = "";
    this.measure();
    scroll.addEventListener("scroll", () => this.#soon(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(scroll);
    // Paper does not scroll: rows out of sight are drawn as well.
    whilePrinted((printed) => {
      this.#printed = printed;
      this.redraw();
    });
    body.addEventListener("click", (event) => this.#onClick(event));
    body.addEventListener("focusin", (event) => this.#onFocus(event));
  }

  /** Reads heights from the stylesheet, and draws. */
  measure(): void {
    const { scroll, grid } = this.#places;
    this.#rowHeight = this.#wanted("--row") || 28;
    this.#lineHeight = this.#wanted("--row-line");
    this.#linesMax = this.#wanted("--row-lines-max");
    this.#headHeight = grid.querySelector<HTMLElement>("[role=row]")?.offsetHeight ?? 0;
    this.#height = scroll.clientHeight;
    this.#top = scroll.scrollTop;
    this.redraw();
  }

  /** Index of the focused row. */
  get focused(): number {
    return this.#focused;
  }

  /** Index of the selected row; -1 before there is one. */
  get selected(): number {
    return this.#selected;
  }

  /** Indexes of the rows above a row, the topmost first. */
  above(index: number): readonly number[] {
    return rowsAbove(this.rows, index);
  }

  /** Redraws all visible rows. */
  redraw(): void {
    const { scroll, grid, body } = this.#places;
    const kept = this.#kept;
    const open = visibleRows(this.rows, this.#collapsed);
    this.#visible = kept === undefined ? open : open.filter((index) => kept.has(index));
    this.#placeOf = new Int32Array(this.rows.length).fill(-1);
    this.#visible.forEach((index, place) => (this.#placeOf[index] = place));
    this.#keepFocusInSight();
    this.beforeRedraw();
    this.#tops = new RowTops(Array.from(this.#visible, (index) => this.#heightOf(index)));
    const { height } = this.#tops;
    // The view's height depends on its rows; with the old height some would be drawn a frame late.
    body.style.height = `${height}px`;
    this.#height = scroll.clientHeight;
    // The browser adjusts the scroll position when the rows end earlier, and reports it late, so
    // it is computed here.
    this.#top = Math.min(this.#top, Math.max(0, height + this.#headHeight - this.#height));
    const held = body.contains(document.activeElement);
    this.#drawn.clear();
    body.replaceChildren();
    grid.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.#draw();
    if (held) (this.#drawn.get(this.#focused) ?? scroll).focus({ preventScroll: true });
    this.#events.onView?.();
  }

  /** Redraws with the next frame, once for any number of calls. */
  redrawSoon(): void {
    if (this.#stale) return;
    this.#stale = true;
    requestAnimationFrame(() => {
      this.#stale = false;
      this.redraw();
    });
  }

  /** Shows only these rows, or all. */
  keep(kept: ReadonlySet<number> | undefined): void {
    this.#kept = kept;
    this.redraw();
  }

  /** Number of shown rows, drawn or not. */
  get shown(): number {
    return this.#visible.length;
  }

  /** Moves the focus by that many visible rows; at first to the grid's own position. */
  move(by: number): void {
    if (!this.#entered) {
      this.focus(this.#focused);
      return;
    }
    const place = this.#placeOf[this.#focused] ?? 0;
    const next = Math.min(Math.max(place + by, 0), this.#visible.length - 1);
    const index = this.#visible[next];
    if (index !== undefined) this.focus(index);
  }

  /** Moves the focus by that many views, less one row for context. */
  page(by: number): void {
    const place = this.#placeOf[this.#focused] ?? 0;
    const room = this.#height - this.#headHeight - this.#rowHeight;
    const target = this.#tops.placeAt(Math.max(0, this.#tops.at(place) + by * room));
    this.move(target === place ? by : target - place);
  }

  /** Collapses the row, or goes to its parent where there is nothing to collapse. */
  left(): void {
    const row = this.rows[this.#focused];
    if (row === undefined) return;
    if (row.descendants > 0 && !this.#collapsed.has(this.#focused)) this.toggle(this.#focused);
    else if (row.parent !== -1) this.focus(row.parent);
  }

  /** Expands the row, or goes to its first child. */
  right(): void {
    const row = this.rows[this.#focused];
    if (row === undefined || row.descendants === 0) return;
    if (this.#collapsed.has(this.#focused)) {
      this.toggle(this.#focused);
      return;
    }
    const below = this.#visible[(this.#placeOf[this.#focused] ?? 0) + 1] ?? -1;
    if (this.rows[below]?.parent === this.#focused) this.focus(below);
  }

  /** Collapses or expands. */
  toggle(index: number): void {
    if (!this.#collapsed.delete(index)) this.#collapsed.add(index);
    this.redraw();
  }

  /** Opens or closes everything, or one level more; returns how many rows are shown then. */
  open(how: "all" | "none" | "more" | "less"): number {
    if (how === "all") this.#collapsed = new Set();
    else if (how === "none") this.#collapsed = allCollapsed(this.rows);
    else if (how === "more") this.#collapsed = oneLevelMore(this.rows, this.#collapsed);
    else this.#collapsed = oneLevelLess(this.rows, this.#collapsed);
    this.redraw();
    this.#reveal(this.#focused);
    this.#draw();
    return this.shown;
  }

  /** Focuses a row wherever it is, and selects it. */
  focus(index: number): void {
    this.show(index);
    this.#drawn.get(index)?.focus({ preventScroll: true });
  }

  /** The same without moving the keyboard focus. */
  show(index: number): void {
    if (this.#kept?.has(index) === false) {
      this.#kept = undefined;
      this.#events.onKeepAll();
      this.redraw();
    }
    for (const above of this.above(index)) this.#collapsed.delete(above);
    if (this.#placeOf[index] === -1) this.redraw();
    this.#stopAt(index);
    this.#reveal(index);
    this.#draw();
    this.select(index);
  }

  /** Marks a row as the one in the panel. */
  select(index: number): void {
    this.#drawn.get(this.#selected)?.setAttribute("aria-selected", "false");
    this.#selected = index;
    this.#drawn.get(index)?.setAttribute("aria-selected", "true");
    const row = this.rows[index];
    if (row !== undefined) this.#events.onSelect(row, index);
  }

  /** When a focusable row is hidden, the nearest shown row above it becomes the tab stop. */
  #keepFocusInSight(): void {
    while (this.#placeOf[this.#focused] === -1) {
      const above = this.rows[this.#focused]?.parent ?? -1;
      this.#focused = above === -1 ? (this.#visible[0] ?? 0) : above;
      if (this.#visible.length === 0) return;
    }
  }

  #wanted(property: "--row" | "--row-line" | "--row-lines-max"): number {
    const { body } = this.#places;
    return Number.parseFloat(getComputedStyle(body).getPropertyValue(property)) || 0;
  }

  #heightOf(index: number): number {
    const lines = Math.min(this.linesOf(this.rows[index] as R), this.#linesMax);
    return this.#rowHeight + lines * this.#lineHeight;
  }

  #topOf(index: number): number {
    return this.#tops.at(this.#placeOf[index] ?? 0);
  }

  #reveal(index: number): void {
    const top = this.#topOf(index);
    const end = this.#tops.at((this.#placeOf[index] ?? 0) + 1);
    const room = this.#height - this.#headHeight;
    const wanted = Math.min(Math.max(this.#top, end - room), top);
    if (wanted === this.#top) return;
    this.#top = wanted;
    this.#places.scroll.scrollTop = wanted;
  }

  #resized(): void {
    const isSame =
      this.#wanted("--row") === this.#rowHeight &&
      this.#wanted("--row-lines-max") === this.#linesMax;
    if (!isSame) this.measure();
    else this.#soon();
  }

  /** Draws with the next frame, after a single measurement. */
  #soon(): void {
    if (this.#requested) return;
    this.#requested = true;
    requestAnimationFrame(() => {
      this.#requested = false;
      this.#top = this.#places.scroll.scrollTop;
      this.#height = this.#places.scroll.clientHeight;
      this.#draw();
    });
  }

  /** Draws newly visible rows and removes hidden ones; others are not touched. */
  #draw(): void {
    const top = Math.max(0, this.#tops.placeAt(this.#top) - overscan);
    const first = this.#printed ? 0 : top;
    const inSight = this.#tops.placeAt(this.#top + this.#height) + overscan;
    const end = this.#printed ? printedRowsMax - 1 : inSight;
    const last = Math.min(this.#visible.length - 1, end);
    const wanted = new Set<number>();
    for (let place = first; place <= last; place += 1) wanted.add(this.#visible[place] ?? 0);
    if ((this.#placeOf[this.#focused] ?? -1) !== -1) wanted.add(this.#focused);
    for (const [index, node] of this.#drawn) {
      if (wanted.has(index)) continue;
      node.remove();
      this.#drawn.delete(index);
    }
    // In the order of the rows, from the last: assistive technology reads in document order. Rows
    // of the pre-order are visible in the order of their indexes.
    let after: HTMLElement | null = null;
    for (const index of [...wanted].toSorted((a, b) => b - a)) {
      const there = this.#drawn.get(index);
      const node: HTMLElement = there ?? this.#rowNode(index);
      if (there === undefined) this.#places.body.insertBefore(node, after);
      after = node;
    }
  }

  #rowNode(index: number): HTMLElement {
    const node = this.drawRow(this.rows[index] as R, {
      index,
      collapsed: this.#collapsed.has(index),
      focused: index === this.#focused,
      selected: index === this.#selected,
    });
    node.style.top = `${this.#topOf(index)}px`;
    node.style.height = `${this.#heightOf(index)}px`;
    this.#drawn.set(index, node);
    return node;
  }

  /** Makes a row the only tab stop. */
  #stopAt(index: number): void {
    const before = this.#drawn.get(this.#focused);
    if (before !== undefined) before.tabIndex = -1;
    this.#focused = index;
    const node = this.#drawn.get(index);
    if (node !== undefined) node.tabIndex = 0;
  }

  #onClick(event: MouseEvent): void {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>("[data-index]");
    if (row === null || target.closest("a") !== null) return;
    const index = Number(row.dataset["index"]);
    if (target.closest(".twist") !== null) this.toggle(index);
    else this.focus(index);
  }

  #onFocus(event: FocusEvent): void {
    this.#entered = true;
    const row = (event.target as Element).closest<HTMLElement>("[data-index]");
    if (row !== null) this.#stopAt(Number(row.dataset["index"]));
  }
}
