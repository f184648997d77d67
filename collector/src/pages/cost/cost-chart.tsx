/**
 * @module CostChart: cost over time, and below it the calls without a price, which are no part of
 * it. A cost that is known as a range is hatched between its ends.
 */
import type { FC } from "hono/jsx";

import type { CostSlice } from "../../turns/cost-slices.ts";
import { countText, usdText } from "../../ui/display/figures.ts";
import { BandChart, unknownMark } from "../../ui/elements/band-chart.tsx";
import type { ChartBand } from "../../ui/elements/band-chart.tsx";
import { elsewhereText, turnsText } from "../../ui/elements/time-figure.tsx";
import { callsText } from "./cost-texts.ts";

const costHeight = 56;

/** The chart; nothing where no time is drawn. `of` counts turns at other times as well. */
export const CostChart: FC<{ readonly slices: readonly CostSlice[]; readonly of: number }> = ({
  slices,
  of,
}) => {
  const turns = slices.reduce((sum, slice) => sum + slice.turns, 0);
  const unpriced = slices.reduce((sum, slice) => sum + slice.unpriced, 0);
  const without = unpriced === 0 ? "" : `, ${callsText(unpriced)} without a price`;
  const text = `Cost of ${turnsText(turns)} over time${without}`;
  return (
    <div data-histogram-place>
      <BandChart
        slices={slices}
        bands={bandsOf(slices)}
        words={{
          name: "cost",
          label: text,
          readout: text + elsewhereText(of, turns),
          counted: (slice) => slice.turns,
          slice: sliceText,
        }}
      />
    </div>
  );
};

function bandsOf(slices: readonly CostSlice[]): readonly ChartBand<CostSlice>[] {
  const dearest = slices.reduce((max, { high_usd: usd }) => Math.max(max, usd ?? 0), 0);
  const known = slices.some(({ high_usd: usd }) => usd !== null);
  const ranged = slices.some(({ low_usd: low, high_usd: high }) => low !== high);
  const unpriced = slices.reduce((max, slice) => Math.max(max, slice.unpriced), 0);
  return [
    {
      title: known
        ? `Cost, up to ${usdText(dearest)}${ranged ? "; hatched: known as a range" : ""}`
        : "Cost: no price is known",
      height: costHeight,
      marks: ({ calls, low_usd: low, high_usd: high }) => {
        if (calls === 0) return [];
        if (low === null || high === null) return [unknownMark(costHeight)];
        if (dearest === 0) return [];
        const sure = { tone: "range", from: 0, to: low / dearest };
        return high === low
          ? [sure]
          : [sure, { tone: "unknown-fill", from: low / dearest, to: high / dearest }];
      },
    },
    {
      title:
        unpriced === 0
          ? "Calls without a price: none"
          : `Calls without a price, up to ${countText(unpriced)}`,
      height: 24,
      marks: (slice) =>
        slice.unpriced === 0
          ? []
          : [{ tone: "unknown-fill", from: 0, to: slice.unpriced / unpriced }],
    },
  ];
}

/** An interval in words. */
function sliceText({ turns, calls, unpriced, low_usd: low, high_usd: high }: CostSlice): string {
  const of = `${turnsText(turns)}, ${callsText(calls)}`;
  if (calls === 0) return of;
  const cost =
    low === null || high === null
      ? "cost unknown"
      : low === high
        ? usdText(low)
        : `${usdText(low)} – ${usdText(high)}`;
  const without = unpriced === 0 ? "" : ` + ? for ${callsText(unpriced)} without a price`;
  return `${of}: ${cost}${low === null ? "" : without}`;
}
