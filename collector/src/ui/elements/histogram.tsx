/**
 * @module Histogram: turns or calls over time as bars, with the part in error in front. In the
 * browser a brush over it filters by time.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import type { Bin } from "../display/turn-figures.ts";
import { BarPaths } from "./bar-paths.tsx";
import type { ChartBar } from "./bar-paths.tsx";
import { Peak, TimeFigure, elsewhereText, peakHeight, turnsText } from "./time-figure.tsx";

const height = 62;

/** What is counted, and the part of it that is drawn in front. */
export interface HistogramTexts {
  readonly counted: (count: number) => string;
  readonly part: string;
}

const ofTurns: HistogramTexts = { counted: turnsText, part: "with errors" };

/** Turns per bin, and the turns it covers; nothing is drawn without any. */
export const Histogram: FC<{
  readonly bins: readonly Bin[];
  readonly extent: string;
  /** Number of turns; those in no bin are mentioned. */
  readonly of: number;
  readonly words?: HistogramTexts;
}> = ({ bins, extent, of, words = ofTurns }) => {
  const most = bins.reduce((max, bin) => Math.max(max, bin.turns), 0);
  const first = bins[0];
  const last = bins.at(-1);
  if (first === undefined || last === undefined || most === 0) return <></>;
  const turns = bins.reduce((sum, bin) => sum + bin.turns, 0);
  const errors = bins.reduce((sum, bin) => sum + bin.errors, 0);
  return (
    <TimeFigure
      fromMs={first.fromMs}
      toMs={last.toMs}
      height={height}
      label={`${words.counted(turns)} over time ${extent}, ${errors} ${words.part}`}
      readout={
        `${words.counted(turns)} ${extent}` +
        (errors === 0 ? "" : `, ${countText(errors)} ${words.part}`) +
        elsewhereText(of, turns)
      }
    >
      <Peak of={words.counted(most)} />
      <BarPaths bars={barsOf(bins, most)} size={bins.length} height={height} name="counts" />
      {bins.map((bin) => (
        <g
          data-from={String(bin.fromMs)}
          data-turns={String(bin.turns)}
          data-words={binTexts(bin, words)}
        />
      ))}
    </TimeFigure>
  );
};

/** The bars, and over them those of the part. */
function barsOf(bins: readonly Bin[], most: number): readonly ChartBar[] {
  const tall = (count: number): number => Math.max(2, (count / most) * (height - peakHeight));
  const bars = (tone: string, of: (bin: Bin) => number): readonly ChartBar[] =>
    bins.flatMap((bin, at) => {
      if (of(bin) === 0) return [];
      const own = Math.min(tall(bin.turns), tall(of(bin)));
      return [{ at, tone, top: height - own, tall: own }];
    });
  return [...bars("turns", ({ turns }) => turns), ...bars("errors", ({ errors }) => errors)];
}

/** A bar in words, for its tooltip. */
function binTexts({ turns, errors }: Bin, { counted, part }: HistogramTexts): string {
  return errors === 0 ? counted(turns) : `${counted(turns)}, ${countText(errors)} ${part}`;
}
