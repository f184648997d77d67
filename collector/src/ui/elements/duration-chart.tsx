/**
 * @module DurationChart: durations of turns over time. Each column is a time interval and each
 * cell a class of durations; more turns are darker and wider, and unknown durations are a hatched
 * band of their own. In the browser a brush over it filters by time, as over the counts.
 */
import type { FC } from "hono/jsx";

import { countText, durationText } from "../display/figures.ts";
import type { DurationCells, DurationColumn } from "../display/duration-cells.ts";
import { TimeFigure, elsewhereText, turnsText } from "./time-figure.tsx";

/** Height of a class; a few classes are taller, so that the chart keeps a minimum height. */
const rowHeightMin = 10;
const heightMin = 48;
const levels = 5;

/** The chart, and the turns it covers; nothing is drawn without any. */
export const DurationChart: FC<{
  readonly cells: DurationCells;
  readonly extent: string;
  /** Number of turns; those in no column are mentioned. */
  readonly of: number;
}> = ({ cells, extent, of }) => {
  const { columns, fromMs, toMs } = cells;
  const first = columns[0];
  const last = columns.at(-1);
  if (first === undefined || last === undefined) return <></>;
  const sum = (of: (column: DurationColumn) => number): number =>
    columns.reduce((all, column) => all + of(column), 0);
  const unknown = sum((column) => column.unknown);
  const turns = sum((column) => column.turns);
  const most = Math.max(1, ...columns.flatMap(({ counts }) => counts));
  const unknownMost = Math.max(...columns.map((column) => column.unknown));
  const classes = Math.max(fromMs.length, 1);
  const rowHeight = Math.max(rowHeightMin, Math.floor(heightMin / classes));
  const classesHeight = classes * rowHeight;
  const height = classesHeight + (unknown > 0 ? rowHeightMin + 4 : 0);
  const words =
    `${turnsText(turns)} by duration ${extent}` +
    (unknown === 0 ? "" : `, ${countText(unknown)} of unknown duration`);
  return (
    <TimeFigure
      class="durations"
      fromMs={first.fromMs}
      toMs={last.toMs}
      height={height}
      label={fromMs.length === 0 ? words : `${words}, ${rangeText(fromMs, toMs)}`}
      readout={words + elsewhereText(of, turns)}
      scale={
        <p class="scale" aria-hidden="true">
          <span>{fromMs.length === 0 ? "" : durationText(toMs)}</span>
          <span>{fromMs[0] === undefined ? "" : durationText(fromMs[0])}</span>
          {unknown > 0 ? <span>unknown</span> : null}
        </p>
      }
    >
      {columns.map((column, index) => (
        <Column
          column={column}
          place={{ index, size: columns.length, most, unknownMost, rowHeight, classesHeight }}
        />
      ))}
    </TimeFigure>
  );
};

function rangeText(fromMs: readonly number[], toMs: number): string {
  return `from ${durationText(fromMs[0] ?? 0)} to ${durationText(toMs)}`;
}

interface CellPlace {
  readonly index: number;
  readonly size: number;
  /** Turns of the fullest cell, and of the fullest unknown one. */
  readonly most: number;
  readonly unknownMost: number;
  readonly rowHeight: number;
  readonly classesHeight: number;
}

const Column: FC<{ readonly column: DurationColumn; readonly place: CellPlace }> = ({
  column,
  place: { index, size, most, unknownMost, rowHeight, classesHeight },
}) => {
  const slot = 100 / size;
  const cell = (count: number, fullest: number) => {
    // Logarithmic: one slow turn among hundreds must be visible.
    const level = Math.ceil((Math.log1p(count) / Math.log1p(fullest)) * levels);
    const share = 0.4 + 0.1 * level;
    return {
      class: `level-${level}`,
      x: `${(index * slot + (slot * (1 - share)) / 2).toFixed(3)}%`,
      width: `${(slot * share).toFixed(3)}%`,
    };
  };
  return (
    <g
      data-from={String(column.fromMs)}
      data-turns={String(column.turns)}
      data-words={columnWords(column)}
    >
      {column.counts.map((count, at) =>
        count === 0 ? null : (
          <rect
            {...cell(count, most)}
            y={String(classesHeight - (at + 1) * rowHeight + 1)}
            height={String(rowHeight - 2)}
            rx="1"
          />
        ),
      )}
      {column.unknown === 0 ? null : (
        <rect
          {...cell(column.unknown, unknownMost)}
          class="unknown-fill"
          y={String(classesHeight + 4)}
          height={String(rowHeightMin - 1)}
          rx="1"
        />
      )}
    </g>
  );
};

/** A column in words, for its tooltip. */
function columnWords({ turns, unknown, p50, p95 }: DurationColumn): string {
  return [
    turnsText(turns),
    ...(p50 === null ? [] : [`median ${durationText(p50)}`]),
    ...(p95 === null ? [] : [`p95 ${durationText(p95)}`]),
    ...(unknown === 0 ? [] : [`${countText(unknown)} unknown`]),
  ].join(", ");
}
