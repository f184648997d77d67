/**
 * @module Overview in the browser: the histogram and the offered values of all turns under the
 * filters, in place of those of the page. It is asked for after the page stands, so the list never
 * waits for it.
 */
import { timeText } from "../display/figures.ts";
import type { DurationCells } from "../display/duration-cells.ts";
import type { Bin } from "../display/turn-figures.ts";
import { DurationChart } from "../views/elements/duration-chart.tsx";
import { Histogram } from "../views/elements/histogram.tsx";
import { base, drawn, fetchJson, find } from "./page.ts";
import { clock, showTimes } from "./preferences.ts";

/** What the page needs of the answer. */
interface Model {
  readonly bins: readonly Bin[];
  readonly turns: number;
  readonly durations?: DurationCells;
  readonly values: { readonly [key: string]: readonly string[] | undefined };
  readonly complete: boolean;
  readonly since: string | null;
}

/** The overview of a page. */
export interface Overview {
  /** True when the histogram is that of all turns. */
  readonly shown: boolean;
  /** Values of a key of the bar that some turn says. */
  values(key: string): readonly string[];
  /** Asks again, unless it did a moment ago. */
  renew(): void;
}

/** What a store does not answer, and what belongs to one page. */
const pageParameters = ["q", "verdict", "finding", "cursor", "limit"];
const renewMs = 15_000;

/** Asks for the overview of the page with this query and draws it. */
export function overviewOf(query: URLSearchParams): Overview {
  const filters = new URLSearchParams(query);
  const narrowed = ["q", "verdict", "finding"].some((name) => query.has(name));
  for (const name of pageParameters) filters.delete(name);
  let model: Model | undefined;
  let asked = -Infinity;
  let shown = false;
  const ask = async (): Promise<void> => {
    asked = performance.now();
    const answer = await fetchJson<Model>(`${base}/traces/overview.json?${filters.toString()}`);
    if (answer === undefined) return;
    model = answer;
    // A page that filters by itself shows a part of these turns; its own bars say which.
    if (narrowed || answer.bins.length === 0) return;
    shown = true;
    draw(answer);
  };
  void ask();
  return {
    get shown() {
      return shown;
    },
    values: (key) => model?.values[key] ?? [],
    renew: () => {
      if (performance.now() - asked > renewMs) void ask();
    },
  };
}

function draw(model: Model): void {
  const place = find("[data-histogram-place]");
  if (place === undefined) return;
  // Bars are not taken away from under a brush.
  if (place.dataset["brushing"] !== undefined) {
    setTimeout(() => draw(model), 250);
    return;
  }
  const { bins, durations } = model;
  const extent = extentOf(model);
  const bars =
    durations === undefined ? (
      <Histogram bins={bins} of={model.turns} extent={extent} />
    ) : (
      <DurationChart cells={durations} of={model.turns} extent={extent} />
    );
  place.replaceChildren(drawn(bars));
  showTimes(place);
}

/** Of which turns a chart is, in words. */
export function extentOf({ complete, since }: Pick<Model, "complete" | "since">): string {
  if (since !== null) return `received since ${timeText(since, clock(), "daytime")}`;
  return complete ? "in all" : "so far";
}
