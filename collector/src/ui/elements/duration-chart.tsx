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
      <Levels columns={columns} rowHeight={rowHeight} height={height} />
      {columns.map((column, index) => (
        <Column
          column={column}
          place={{ index, size: columns.length, most: unknownMost, top: classesHeight + 4 }}
        />
      ))}
    </TimeFigure>
  );
};

function rangeText(fromMs: readonly number[], toMs: number): string {
  return `from ${durationText(fromMs[0] ?? 0)} to ${durationText(toMs)}`;
}

/** Steps of darkness: logarithmic, because one slow turn among hundreds must be visible. */
function levelOf(count: number, most: number): number {
  return Math.ceil((Math.log1p(count) / Math.log1p(most)) * levels);
}

/** Width of a cell as a part of its column. */
function shareOf(level: number): number {
  return 0.4 + 0.1 * level;
}

/** The cells of known durations, in one path for each level: an element for each would be many. */
const Levels: FC<{
  readonly columns: readonly DurationColumn[];
  readonly rowHeight: number;
  readonly height: number;
}> = ({ columns, rowHeight, height }) => {
  const most = Math.max(1, ...columns.flatMap(({ counts }) => counts));
  const paths = Array.from({ length: levels }, () => "");
  for (const [index, { counts }] of columns.entries()) {
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue;
      const level = levelOf(count, most);
      const wide = shareOf(level);
      const x = (index + (1 - wide) / 2).toFixed(2);
      const y = (counts.length - at - 1) * rowHeight + 1;
      paths[level - 1] += `M${x} ${y}h${wide.toFixed(2)}v${rowHeight - 2}h-${wide.toFixed(2)}z`;
    }
  }
  return (
    <svg
      width="100%"
      height={String(height)}
      viewBox={`0 0 ${columns.length} ${height}`}
      preserveAspectRatio="none"
    >
      {paths.map((d, at) => (d === "" ? null : <path class={`level-${at + 1}`} d={d} />))}
    </svg>
  );
};

interface ColumnPlace {
  readonly index: number;
  readonly size: number;
  /** Most turns of unknown duration in a column. */
  readonly most: number;
  /** Of the band of unknown durations, in pixels. */
  readonly top: number;
}

/** What the pointer and the keys find of a column, and its turns of unknown duration. */
const Column: FC<{ readonly column: DurationColumn; readonly place: ColumnPlace }> = ({
  column,
  place: { index, size, most, top },
}) => {
  const slot = 100 / size;
  const share = shareOf(levelOf(column.unknown, most));
  return (
    <g
      data-from={String(column.fromMs)}
      data-turns={String(column.turns)}
      data-words={columnTexts(column)}
    >
      {column.unknown === 0 ? null : (
        <rect
          class="unknown-fill"
          x={`${(index * slot + (slot * (1 - share)) / 2).toFixed(3)}%`}
          width={`${(slot * share).toFixed(3)}%`}
          y={String(top)}
          height={String(rowHeightMin - 1)}
          rx="1"
        />
      )}
    </g>
  );
};

/** A column in words, for its tooltip. */
function columnTexts({ turns, unknown, p50, p95 }: DurationColumn): string {
  return [
    turnsText(turns),
    ...(p50 === null ? [] : [`median ${durationText(p50)}`]),
    ...(p95 === null ? [] : [`p95 ${durationText(p95)}`]),
    ...(unknown === 0 ? [] : [`${countText(unknown)} unknown`]),
  ].join(", ");
}
