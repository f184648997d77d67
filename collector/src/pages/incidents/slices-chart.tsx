/**
 * @module SlicesChart: the intervals of a page as one chart over its whole time, in front of its
 * list. In the browser a brush over it filters by time.
 */
import type { FC } from "hono/jsx";

import { Histogram } from "../../ui/elements/histogram.tsx";
import type { HistogramTexts } from "../../ui/elements/histogram.tsx";

/** Intervals of the drawn time. */
export interface SliceFrame {
  readonly from_ms: number;
  readonly step_ms: number;
  readonly size: number;
}

/** One interval: what is counted, and the part that is drawn in front. */
interface Slice {
  readonly from_ms: number;
  readonly counted: number;
  readonly part: number;
}

/** The chart; nothing where no time is drawn. `of` counts what is at other times as well. */
export const SlicesChart: FC<{
  readonly slices: readonly Slice[];
  readonly frame: SliceFrame | null;
  readonly of: number;
  readonly words: HistogramTexts;
}> = ({ slices, frame, of, words }) => {
  if (frame === null) return <></>;
  const byStart = new Map(slices.map((slice) => [slice.from_ms, slice]));
  const bins = Array.from({ length: frame.size }, (_, index) => {
    const fromMs = frame.from_ms + index * frame.step_ms;
    const { counted = 0, part = 0 } = byStart.get(fromMs) ?? {};
    return { fromMs, toMs: fromMs + frame.step_ms, turns: counted, errors: part };
  });
  return (
    <div data-histogram-place>
      <Histogram bins={bins} of={of} extent="in all" words={words} />
    </div>
  );
};
