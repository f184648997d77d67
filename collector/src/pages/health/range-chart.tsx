/**
 * @module RangeChart: items received over the range, refused ones in front. Time without a record
 * is hatched. In the browser a brush over it selects a range.
 */
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { Peak, TimeFigure, peakHeight } from "../../ui/elements/time-figure.tsx";
import type { IngestRange, IngestSlice } from "./range-ingest.ts";

const height = 78;

/** The chart; nothing where no time is known. */
export const RangeChart: FC<{ readonly of: IngestRange }> = ({ of }) => {
  const { slices, step_ms: step, received } = of;
  const first = slices[0];
  const last = slices.at(-1);
  if (first === undefined || last === undefined) return <></>;
  const most = slices.reduce((max, slice) => Math.max(max, slice.received), 0);
  const hidden = slices.filter(({ recorded }) => !recorded).length;
  const words = `${countText(received)} items received`;
  const open =
    hidden === 0
      ? ""
      : `; ${countText(hidden)} of ${countText(slices.length)} bars without a record`;
  return (
    <div class="padded" data-histogram-place>
      <TimeFigure
        class="received"
        fromMs={Date.parse(first.from)}
        toMs={Date.parse(last.from) + step}
        height={height}
        label={`${words} over time${open}`}
        readout={`${words}${open}`}
      >
        <Peak of={`${countText(most)} items`} />
        {slices.map((slice, index) => (
          <Bar of={slice} slot={[index, slices.length]} most={most} />
        ))}
      </TimeFigure>
    </div>
  );
};

const Bar: FC<{
  readonly of: IngestSlice;
  readonly slot: readonly [index: number, size: number];
  readonly most: number;
}> = ({ of, slot: [index, size], most }) => {
  const wide = 100 / size;
  const place = {
    x: `${(index * wide + wide * 0.1).toFixed(3)}%`,
    width: `${(wide * 0.8).toFixed(3)}%`,
  };
  const tall = (count: number): number =>
    count === 0 || most === 0 ? 0 : Math.max(2, (count / most) * (height - peakHeight));
  const bars = [
    ["turns", tall(of.received)],
    ["errors", Math.min(tall(of.received), tall(of.refused))],
  ] as const;
  return (
    <g data-from={String(Date.parse(of.from))} data-words={wordsOf(of)}>
      {of.recorded ? (
        bars.map(([name, high]) =>
          high === 0 ? null : (
            <rect class={name} {...place} y={String(height - high)} height={String(high)} rx="1" />
          ),
        )
      ) : (
        <rect class="unknown-fill" {...place} y={String(height - 12)} height="12" rx="1" />
      )}
    </g>
  );
};

/** A bar in words, for its tooltip. */
function wordsOf({ received, refused, recorded }: IngestSlice): string {
  if (!recorded) return "not recorded, or the collector was off";
  const items = `${countText(received)} items received`;
  return refused === 0 ? items : `${items}, ${countText(refused)} refused`;
}
