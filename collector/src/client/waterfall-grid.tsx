/**
 * @module WaterfallGrid: the tree grid in the browser. Only the rows in sight are in the document;
 * the focused row stays there too, so that the focus is never lost. Zoom and collapse draw again.
 */
import type { WaterfallModel, WaterfallRow as Row } from "../display/waterfall-rows.ts";
import { visibleRows } from "../display/waterfall-rows.ts";
import { durationText } from "../display/figures.ts";
import { ticks, timeScale } from "../display/time-scale.ts";
import type { Stretch, TimeScale } from "../display/time-scale.ts";
import { WaterfallRow } from "../views/elements/waterfall-row.tsx";
import { drawn, find } from "./page.ts";

/** Rows beyond the edges that are drawn ahead of scrolling. */
const overscan = 8;

/** What the grid tells the page. */
export interface GridEvents {
  /** A row has the focus; the panel follows. */
  readonly onSelect: (row: Row, index: number) => void;
  readonly onView: () => void;
  /** A row had to be shown that was left out, so nothing is left out any more. */
  readonly onKeepAll: () => void;
}

/** The tree grid over rows that may be thousands. */
export class WaterfallGrid {
  readonly model: WaterfallModel;
  readonly #priorities: ReadonlyMap<string, number>;
  readonly #events: GridEvents;
  readonly #scroll: HTMLElement;
  readonly #grid: HTMLElement;
  readonly #body: HTMLElement;
  readonly #collapsed = new Set<number>();
  readonly #drawn = new Map<number, HTMLElement>();
  #visible: Int32Array;
  #placeOf: Int32Array;
  #focused = 0;
  #selected = -1;
  #window: Stretch;
  #gaps: readonly Stretch[] = [];
  #scale: TimeScale;
  #lanes: ReadonlySet<string> = new Set();
  #found: ReadonlySet<number> = new Set();
  #kept: ReadonlySet<number> | undefined;
  #critical = false;
  #rowHeight = 28;
  #asked = false;

  constructor(model: WaterfallModel, priorities: ReadonlyMap<string, number>, events: GridEvents) {
    this.model = model;
    this.#priorities = priorities;
    this.#events = events;
    this.#scroll = find("[data-wf-scroll]") as HTMLElement;
    this.#grid = find("[data-wf]") as HTMLElement;
    this.#body = find("[data-wf-body]") as HTMLElement;
    this.#window = { fromMs: 0, toMs: model.extentMs };
    this.#scale = timeScale(this.#window);
    this.#visible = visibleRows(model.rows, this.#collapsed);
    this.#placeOf = this.#places();
    this.#body.dataset["virtual"] = "";
    this.measure();
    this.#scroll.addEventListener("scroll", () => this.#soon());
    new ResizeObserver(() => this.#soon()).observe(this.#scroll);
    this.#body.addEventListener("click", (event) => this.#onClick(event));
    this.#body.addEventListener("focusin", (event) => this.#onFocus(event));
  }

  /** Reads the height of a row from the stylesheet, and draws. */
  measure(): void {
    const probe = getComputedStyle(this.#grid).getPropertyValue("--row");
    this.#rowHeight = Number.parseFloat(probe) || 28;
    this.redraw();
  }

  /** Index of the focused row. */
  get focused(): number {
    return this.#focused;
  }

  /** What part of the time is in sight. */
  get window(): Stretch {
    return this.#window;
  }

  get scale(): TimeScale {
    return this.#scale;
  }

  /** Draws everything in sight anew. */
  redraw(): void {
    const kept = this.#kept;
    const open = visibleRows(this.model.rows, this.#collapsed);
    this.#visible = kept === undefined ? open : open.filter((index) => kept.has(index));
    this.#placeOf = this.#places();
    this.#keepFocusInSight();
    this.#scale = timeScale(this.#window, this.#gaps);
    this.#body.style.height = `${this.#visible.length * this.#rowHeight}px`;
    this.#grid.setAttribute("aria-rowcount", String(this.model.rows.length + 1));
    const held = this.#body.contains(document.activeElement);
    for (const node of this.#drawn.values()) node.remove();
    this.#drawn.clear();
    this.#body.replaceChildren();
    this.#draw();
    this.#drawAxis();
    if (held) this.#drawn.get(this.#focused)?.focus({ preventScroll: true });
    this.#events.onView();
  }

  /** Shows this part of the time. */
  zoomTo(window: Stretch): void {
    const { extentMs } = this.model;
    const least = Math.max(extentMs / 100_000, 0.0005);
    const span = Math.min(Math.max(window.toMs - window.fromMs, least), extentMs);
    const fromMs = Math.min(Math.max(window.fromMs, 0), extentMs - span);
    this.#window = { fromMs, toMs: fromMs + span };
    this.redraw();
  }

  /** Zooms by a factor around a place between 0 and 1. */
  zoomBy(factor: number, around = 0.5): void {
    const at = this.#scale.timeAt(around);
    const { fromMs, toMs } = this.#window;
    this.zoomTo({ fromMs: at - (at - fromMs) * factor, toMs: at + (toMs - at) * factor });
  }

  /** Moves the window by a share of itself. */
  pan(share: number): void {
    const { fromMs, toMs } = this.#window;
    const by = (toMs - fromMs) * share;
    this.zoomTo({ fromMs: fromMs + by, toMs: toMs + by });
  }

  /** Fits a row's own time, with some air around it; without a row everything. */
  fit(index?: number): void {
    const row = index === undefined ? undefined : this.model.rows[index];
    const { extentMs } = this.model;
    if (row === undefined || row.startMs === null || row.endMs === null) {
      this.zoomTo({ fromMs: 0, toMs: extentMs });
      return;
    }
    const air = Math.max((row.endMs - row.startMs) * 0.08, extentMs / 5_000);
    this.zoomTo({ fromMs: row.startMs - air, toMs: row.endMs + air });
  }

  /** Leaves long idle times out, or puts them back. */
  compress(gaps: readonly Stretch[]): void {
    this.#gaps = gaps;
    this.redraw();
  }

  /** Lets the critical path stand out, or not. */
  set critical(on: boolean) {
    this.#critical = on;
    if (on) this.#grid.dataset["critical"] = "";
    else delete this.#grid.dataset["critical"];
    this.redraw();
  }

  /** Lets some lanes stand out; none for all. */
  set lanes(lanes: ReadonlySet<string>) {
    this.#lanes = lanes;
    this.redraw();
  }

  /** Lets rows stand out that were looked for; with `kept` only those are shown. */
  showFound(found: ReadonlySet<number>, kept?: ReadonlySet<number>): void {
    this.#found = found;
    this.#kept = kept;
    this.redraw();
  }

  /** Moves the focus by so many visible rows. */
  move(by: number): void {
    const place = this.#placeOf[this.#focused] ?? 0;
    const next = Math.min(Math.max(place + by, 0), this.#visible.length - 1);
    this.focus(this.#visible[next] ?? 0);
  }

  /** Collapses the row, or goes to its parent where there is nothing to collapse. */
  left(): void {
    const row = this.model.rows[this.#focused];
    if (row === undefined) return;
    if (row.descendants > 0 && !this.#collapsed.has(this.#focused)) this.toggle(this.#focused);
    else if (row.parent !== -1) this.focus(row.parent);
  }

  /** Expands the row, or goes to its first child. */
  right(): void {
    const row = this.model.rows[this.#focused];
    if (row === undefined || row.descendants === 0) return;
    if (this.#collapsed.has(this.#focused)) {
      this.toggle(this.#focused);
      return;
    }
    const below = this.#visible[(this.#placeOf[this.#focused] ?? 0) + 1] ?? -1;
    if (this.model.rows[below]?.parent === this.#focused) this.focus(below);
  }

  /** Collapses or expands. */
  toggle(index: number): void {
    if (!this.#collapsed.delete(index)) this.#collapsed.add(index);
    this.redraw();
  }

  /** Focuses a row wherever it is, and selects it. */
  focus(index: number): void {
    this.show(index);
    this.#drawn.get(index)?.focus({ preventScroll: true });
  }

  /** The same without taking the keyboard's focus from where it is. */
  show(index: number): void {
    if (this.#kept?.has(index) === false) {
      this.#kept = undefined;
      this.#events.onKeepAll();
      this.redraw();
    }
    for (let above = this.model.rows[index]?.parent ?? -1; above !== -1;) {
      this.#collapsed.delete(above);
      above = this.model.rows[above]?.parent ?? -1;
    }
    if (this.#placeOf[index] === -1) this.redraw();
    const before = this.#focused;
    this.#focused = index;
    this.#reveal(index);
    this.#draw();
    this.#renew(before);
    this.#renew(index);
    this.select(index);
  }

  /** Marks a row as the one that the panel shows. */
  select(index: number): void {
    const before = this.#selected;
    this.#selected = index;
    this.#renew(before);
    this.#renew(index);
    const row = this.model.rows[index];
    if (row !== undefined) this.#events.onSelect(row, index);
  }

  /** A row that went out of sight hands its tab stop to the nearest row above it that is seen. */
  #keepFocusInSight(): void {
    while (this.#placeOf[this.#focused] === -1) {
      const above = this.model.rows[this.#focused]?.parent ?? -1;
      this.#focused = above === -1 ? (this.#visible[0] ?? 0) : above;
      if (this.#visible.length === 0) return;
    }
  }

  #places(): Int32Array {
    const places = new Int32Array(this.model.rows.length).fill(-1);
    this.#visible.forEach((index, place) => (places[index] = place));
    return places;
  }

  #reveal(index: number): void {
    const top = (this.#placeOf[index] ?? 0) * this.#rowHeight;
    const { scrollTop, clientHeight } = this.#scroll;
    const head = 28;
    if (top < scrollTop) this.#scroll.scrollTop = top;
    else if (top + this.#rowHeight > scrollTop + clientHeight - head) {
      this.#scroll.scrollTop = top + this.#rowHeight - clientHeight + head;
    }
  }

  #soon(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#draw();
    });
  }

  /** Draws what came into sight and removes what left it; what stays is not touched. */
  #draw(): void {
    const { scrollTop, clientHeight } = this.#scroll;
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - overscan);
    const last = Math.min(
      this.#visible.length - 1,
      Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + overscan,
    );
    const wanted = new Set<number>();
    for (let place = first; place <= last; place += 1) wanted.add(this.#visible[place] ?? 0);
    if (this.#placeOf[this.#focused] !== -1) wanted.add(this.#focused);
    for (const [index, node] of this.#drawn) {
      if (wanted.has(index)) continue;
      node.remove();
      this.#drawn.delete(index);
    }
    // In the order of the rows, from the last: assistive technology reads the document's order.
    // Rows of the pre-order are in sight in the order of their indices.
    let after: HTMLElement | null = null;
    for (const index of [...wanted].toSorted((a, b) => b - a)) {
      const there = this.#drawn.get(index);
      const node: HTMLElement = there ?? this.#rowNode(index);
      if (there === undefined) this.#body.insertBefore(node, after);
      after = node;
    }
  }

  #rowNode(index: number): HTMLElement {
    const row = this.model.rows[index] as Row;
    const node = drawn(
      <WaterfallRow
        row={row}
        state={{
          index,
          scale: this.#scale,
          collapsed: this.#collapsed.has(index),
          focused: index === this.#focused,
          selected: index === this.#selected,
          dimmed: this.#isDimmed(row),
          found: this.#found.has(index),
          priority: this.#priorities.get(row.node?.event_id ?? ""),
        }}
      />,
    ) as HTMLElement;
    node.style.top = `${(this.#placeOf[index] ?? 0) * this.#rowHeight}px`;
    this.#drawn.set(index, node);
    return node;
  }

  #isDimmed({ node }: Row): boolean {
    if (node === undefined) return false;
    if (this.#critical && !node.critical) return true;
    return this.#lanes.size > 0 && !this.#lanes.has(node.lane);
  }

  /** Draws one row again, keeping the focus. */
  #renew(index: number): void {
    const old = this.#drawn.get(index);
    if (old === undefined) return;
    const held = old === document.activeElement;
    const node = this.#rowNode(index);
    old.replaceWith(node);
    if (held) node.focus({ preventScroll: true });
  }

  #onClick(event: MouseEvent): void {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>("[data-index]");
    if (row === null) return;
    const index = Number(row.dataset["index"]);
    if (target.closest(".twist") !== null) this.toggle(index);
    else this.focus(index);
  }

  #onFocus(event: FocusEvent): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-index]");
    const index = Number(row?.dataset["index"] ?? this.#focused);
    if (index === this.#focused) return;
    const before = this.#focused;
    this.#focused = index;
    this.#renew(before);
  }

  #drawAxis(): void {
    const axis = find<SVGElement>("[data-axis]");
    if (axis === undefined) return;
    const texts = ticks(this.#window).map((at) => (
      <text x={`${(this.#scale.place(at) * 100).toFixed(2)}%`} y="18">
        {durationText(at)}
      </text>
    ));
    axis.replaceChildren(drawn(texts));
  }
}
