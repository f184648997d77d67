/**
 * @module BandChart: bands of one chart over time. Each band has its name and the value of a full
 * bar above it, and each interval its words for the pointer and the keys. In the browser a brush
 * over it filters by time.
 */
import type { Child, FC } from "hono/jsx";

import { BarPaths } from "./bar-paths.tsx";
import type { ChartBar } from "./bar-paths.tsx";
import { TimeFigure } from "./time-figure.tsx";

/** A part of a bar, in parts of its band's height, from below. */
export interface BandMark {
  /** Class of its fill. */
  readonly tone: string;
  readonly from: number;
  readonly to: number;
}

/** One band: its name with the value of a full bar, its height in pixels, and its bars. */
export interface ChartBand<Slice> {
  readonly title: string;
  readonly height: number;
  readonly marks: (slice: Slice) => readonly BandMark[];
}

/** One interval of time, in epoch milliseconds. */
export interface BandSlice {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Words and counts of a chart. */
export interface BandTexts<Slice> {
  /** Of the chart, unique on its page. */
  readonly name: string;
  readonly label: string;
  readonly readout: string;
  readonly counted: (slice: Slice) => number;
  readonly slice: (slice: Slice) => string;
}

const titleHeight = 16;
const gap = 8;
/** Height of a bar for a value that is not known. */
const unknownHeight = 6;
/** One failed turn among thousands must be visible. */
const leastHeight = 2;

/** There were turns, without a recorded value. */
export function unknownMark(height: number): BandMark {
  return { tone: "unknown-fill", from: 1 / height, to: (unknownHeight + 1) / height };
}

/** The chart; nothing is drawn without an interval. `over` is drawn through all bands. */
export const BandChart = <Slice extends BandSlice>({
  slices,
  bands,
  words,
  footHeight = 0,
  over,
}: {
  readonly slices: readonly Slice[];
  readonly bands: readonly ChartBand<Slice>[];
  readonly words: BandTexts<Slice>;
  /** Below the bands, in pixels. */
  readonly footHeight?: number;
  readonly over?: (height: number) => Child;
}): ReturnType<FC> => {
  const [first, last] = [slices[0], slices.at(-1)];
  if (first === undefined || last === undefined) return <></>;
  const tops = bands.map((_, index) =>
    bands.slice(0, index).reduce((sum, { height }) => sum + titleHeight + height + gap, 0),
  );
  const bandsHeight = bands.reduce((sum, band) => sum + titleHeight + band.height + gap, 0) - gap;
  const height = bandsHeight + footHeight;
  const bars = bands.flatMap((band, index) =>
    slices.flatMap((slice, at) => barsOf(band, slice, (tops[index] ?? 0) + titleHeight, at)),
  );
  return (
    <TimeFigure
      class="bands"
      fromMs={first.from_ms}
      toMs={last.to_ms}
      height={height}
      label={words.label}
      readout={words.readout}
    >
      {bands.map(({ title }, index) => (
        <text class="band" x="0" y={String((tops[index] ?? 0) + 11)}>
          {title}
        </text>
      ))}
      <BarPaths bars={bars} size={slices.length} height={height} name={words.name} />
      {slices.map((slice) => (
        <g
          data-from={String(slice.from_ms)}
          data-turns={String(words.counted(slice))}
          data-words={words.slice(slice)}
        />
      ))}
      {tops.map((top, index) => {
        const y = String(top + titleHeight + (bands[index]?.height ?? 0) + 0.5);
        return <line class="floor" x1="0" x2="100%" y1={y} y2={y} />;
      })}
      {over?.(height)}
    </TimeFigure>
  );
};

/** Bars of one interval in one band, each at least as tall as can be seen. */
function barsOf<Slice>(
  band: ChartBand<Slice>,
  slice: Slice,
  top: number,
  at: number,
): readonly ChartBar[] {
  return band.marks(slice).map(({ tone, from, to }) => {
    const tall = Math.max(leastHeight, (to - from) * band.height);
    const y = top + band.height * (1 - from) - tall;
    return { at, tone, top: Math.max(y, top), tall };
  });
}
