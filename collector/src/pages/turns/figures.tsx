/**
 * @module Figures of the page of turns: its chart and its facets, counted over all turns of the
 * filter. They take longer than the rows in a large store, so the page sends them after its rows.
 */
import type { FC } from "hono/jsx";

import type { AppContext } from "../../http/environment.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { Parts } from "../../parts.ts";
import { countingOf } from "../../turns/counted-turns.ts";
import { termsOf, understoodOf } from "../../ui/display/filter-terms.ts";
import { facetExtent } from "../../ui/display/turn-figures.ts";
import { Facets } from "../../ui/elements/filter-bar.tsx";
import { Slots } from "../../ui/elements/later.tsx";
import { TurnsChart } from "../../ui/elements/turns-chart.tsx";
import type { ChartModel } from "../../ui/elements/turns-chart.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { countedFacets } from "./facets.ts";
import type { FacetsModel } from "./facets.ts";
import { countedOverview } from "./overview.ts";
import { countedTrend } from "../../turns/counted-trend.ts";

/** What the page shows of all turns of its filter. */
export interface TurnsFigures {
  readonly chart: ChartModel;
  readonly facets: FacetsModel;
}

/** Filters of the page, and its chart. */
type FiguresRequest = Parameters<typeof countingOf>[2] & {
  readonly chart?: string | undefined;
};

/**
 * Counts them; undefined where the store does not answer, which the page shows, as its rows are
 * valid all the same.
 */
export async function figuresOf(
  c: AppContext,
  parts: Parts,
  { chart, q, ...filters }: FiguresRequest,
): Promise<TurnsFigures | undefined> {
  // Words that the page did not understand filter nothing.
  const understood = understoodOf(new URLSearchParams({ q: q ?? "" })).get("q");
  try {
    const counting = await countingOf(c, parts, {
      ...filters,
      ...(understood === null || understood === "" ? {} : { q: understood }),
    });
    const [counted, facets] = await Promise.all([
      chart === "trend"
        ? countedTrend(parts, counting)
        : countedOverview(parts, counting, chart === "duration"),
      countedFacets(parts, counting),
    ]);
    return { chart: counted, facets };
  } catch {
    // Whatever the reason is, the page has its rows, and no figure of a part of the turns.
    return undefined;
  }
}

const notCounted = "Not counted: the store did not answer in time.";

/** The facets and the chart, in the slots of {@link FigureSlots}. */
export const FiguresPart: FC<{
  readonly figures: TurnsFigures | undefined;
  readonly context: PageContext;
}> = ({ figures, context }) => (
  <>
    <details class="facets" data-facets slot="facets">
      <summary>Facets</summary>
      <p class="facet-extent muted" data-facet-extent>
        {figures === undefined ? notCounted : facetExtent(figures.facets)}
      </p>
      <div class="facet-list" role="group" aria-label="Facets" tabindex={0}>
        <Facets
          facets={figures?.facets.facets ?? []}
          path={hrefOf(context, "/traces")}
          terms={termsOf(context.query)}
          query={context.query}
        />
      </div>
    </details>
    <div data-histogram-place slot="figures">
      {figures === undefined ? (
        <p class="muted">{notCounted}</p>
      ) : (
        <TurnsChart of={figures.chart} />
      )}
    </div>
  </>
);

/** The order of the page: its figures stand before and beside the rows, and come after them. */
export const FigureSlots: FC = () => (
  <Slots>
    <div part="chart">
      <slot name="switch"></slot>
      <slot name="figures">
        <p part="counting counting-chart">Counting all turns…</p>
      </slot>
    </div>
    <slot></slot>
    <div part="columns">
      <div part="side">
        <slot name="views"></slot>
        <slot name="facets">
          <p part="counting">Counting all turns…</p>
        </slot>
      </div>
      <slot name="list"></slot>
    </div>
  </Slots>
);
