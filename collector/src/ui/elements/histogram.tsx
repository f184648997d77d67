/**
 * @module Histogram: turns or calls over time as bars; the part with errors is hatched as well as
 * red. In the browser a brush over it filters by time.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import type { Bin } from "../display/turn-figures.ts";
import { TimeFigure, elsewhereText, turnsText } from "./time-figure.tsx";

const height = 48;

/** What is counted, and the part of it that is drawn in front. */
export interface HistogramWords {
  readonly counted: (count: number) => string;
  readonly part: string;
}

const ofTurns: HistogramWords = { counted: turnsText, part: "with errors" };

/** Turns per bin, and the turns it covers; nothing is drawn without any. */
export const Histogram: FC<{
  readonly bins: readonly Bin[];
  readonly extent: string;
  /** Number of turns; those in no bin are mentioned. */
  readonly of: number;
  readonly words?: HistogramWords;
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
      {bins.map((bin, index) => (
        <Bar bin={bin} index={index} size={bins.length} most={most} words={words} />
      ))}
    </TimeFigure>
  );
};

const Bar: FC<{
  readonly bin: Bin;
  readonly index: number;
  readonly size: number;
  readonly most: number;
  readonly words: HistogramWords;
}> = ({ bin, index, size, most, words }) => {
  const slot = 100 / size;
  const x = `${(index * slot + slot * 0.1).toFixed(3)}%`;
  const width = `${(slot * 0.8).toFixed(3)}%`;
  const tall = (count: number): number =>
    count === 0 ? 0 : Math.max(2, (count / most) * (height - 4));
  const total = tall(bin.turns);
  const bad = Math.min(total, tall(bin.errors));
  return (
    <g
      data-from={String(bin.fromMs)}
      data-turns={String(bin.turns)}
      data-words={binWords(bin, words)}
    >
      {total === 0 ? null : (
        <rect
          class="turns"
          x={x}
          width={width}
          y={String(height - total)}
          height={String(total)}
          rx="1"
        />
      )}
      {bad === 0 ? null : (
        <rect
          class="errors"
          x={x}
          width={width}
          y={String(height - bad)}
          height={String(bad)}
          rx="1"
        />
      )}
    </g>
  );
};

/** A bar in words, for its tooltip. */
function binWords({ turns, errors }: Bin, { counted, part }: HistogramWords): string {
  return errors === 0 ? counted(turns) : `${counted(turns)}, ${countText(errors)} ${part}`;
}
