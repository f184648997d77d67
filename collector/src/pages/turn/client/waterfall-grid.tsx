/**
 * @module WaterfallGrid: the tree grid of a turn: rows over a time scale that can be zoomed and
 * compressed, with highlighted lanes, critical path and found rows.
 */
import { durationText } from "../../../ui/display/figures.ts";
import { ticks, timeScale } from "../../../ui/display/time-scale.ts";
import type { Stretch, TimeScale } from "../../../ui/display/time-scale.ts";
import type { typicalByTool } from "../../../ui/display/typical-call.ts";
import type { WaterfallModel, WaterfallRow as Row } from "../../../ui/display/waterfall-rows.ts";
import { WaterfallRow } from "../../../ui/elements/waterfall-row.tsx";
import { drawn, find } from "../../../ui/client/page.ts";
import { TreeGrid } from "../../../ui/client/tree-grid.ts";
import type { GridEvents, TreeState } from "../../../ui/client/tree-grid.ts";

/** The tree grid over rows, possibly thousands. */
export class WaterfallGrid extends TreeGrid<Row> {
  readonly model: WaterfallModel;
  readonly #priorities: ReadonlyMap<string, number>;
  readonly #typical: ReturnType<typeof typicalByTool>;
  readonly #grid = find("[data-wf]") as HTMLElement;
  #window: Stretch;
  #gaps: readonly Stretch[] = [];
  #scale: TimeScale;
  #lanes: ReadonlySet<string> = new Set();
  #found: ReadonlySet<number> = new Set();
  #critical = false;
  #axisWidth = 0;

  constructor(
    model: WaterfallModel,
    of: {
      readonly priorities: ReadonlyMap<string, number>;
      readonly typical: ReturnType<typeof typicalByTool>;
    },
    events: GridEvents<Row>,
  ) {
    const places = {
      scroll: find("[data-wf-scroll]") as HTMLElement,
      grid: find("[data-wf]") as HTMLElement,
      body: find("[data-wf-body]") as HTMLElement,
    };
    super(model.rows, places, events);
    this.model = model;
    this.#priorities = of.priorities;
    this.#typical = of.typical;
    this.#window = { fromMs: 0, toMs: model.extentMs };
    this.#scale = timeScale(this.#window);
    this.start();
    // The width is measured when it changes, so that drawing never forces a layout.
    const axis = find("[data-axis]")?.parentElement;
    if (axis === null || axis === undefined) return;
    new ResizeObserver(([entry]) => {
      this.#axisWidth = entry?.contentRect.width ?? 0;
      this.#drawAxis();
    }).observe(axis);
  }

  /** The visible time range. */
  get window(): Stretch {
    return this.#window;
  }

  get scale(): TimeScale {
    return this.#scale;
  }

  /** Shows this time range. */
  zoomTo(window: Stretch): void {
    const { extentMs } = this.model;
    const least = Math.max(extentMs / 100_000, 0.0005);
    const span = Math.min(Math.max(window.toMs - window.fromMs, least), extentMs);
    const fromMs = Math.min(Math.max(window.fromMs, 0), extentMs - span);
    this.#window = { fromMs, toMs: fromMs + span };
    this.#scale = timeScale(this.#window, this.#gaps);
    this.redrawSoon();
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

  /** Fits a row's own time, with a margin; without a row everything. */
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

  /** Removes long idle times, or restores them. */
  compress(gaps: readonly Stretch[]): void {
    this.#gaps = gaps;
    this.redraw();
  }

  /** Highlights the critical path, or not. */
  set critical(on: boolean) {
    this.#critical = on;
    if (on) this.#grid.dataset["critical"] = "";
    else delete this.#grid.dataset["critical"];
    this.redraw();
  }

  /** Highlights some lanes; none for all. */
  set lanes(lanes: ReadonlySet<string>) {
    this.#lanes = lanes;
    this.redraw();
  }

  /** Found rows. */
  get found(): ReadonlySet<number> {
    return this.#found;
  }

  /** Highlights found rows; with `kept` only those are shown. */
  showFound(found: ReadonlySet<number>, kept?: ReadonlySet<number>): void {
    this.#found = found;
    this.keep(kept);
  }

  protected override beforeRedraw(): void {
    this.#scale = timeScale(this.#window, this.#gaps);
    this.#drawAxis();
  }

  protected override drawRow(row: Row, state: TreeState): HTMLElement {
    return drawn(
      <WaterfallRow
        row={row}
        state={{
          ...state,
          scale: this.#scale,
          dimmed: this.#isDimmed(row),
          found: this.#found.has(state.index),
          priority: this.#priorities.get(row.node?.event_id ?? ""),
          typical: this.#typical.get(row.node?.tool_name),
        }}
      />,
    ) as HTMLElement;
  }

  #isDimmed({ node }: Row): boolean {
    if (node === undefined) return false;
    if (this.#critical && !node.critical) return true;
    return this.#lanes.size > 0 && !this.#lanes.has(node.lane);
  }

  #drawAxis(): void {
    const axis = find<SVGElement>("[data-axis]");
    if (axis === undefined) return;
    const texts = ticks(this.#window, this.#axisWidth).map((at) => (
      <text x={`${(this.#scale.place(at) * 100).toFixed(2)}%`} y="18">
        {durationText(at)}
      </text>
    ));
    axis.replaceChildren(drawn(texts));
  }
}
