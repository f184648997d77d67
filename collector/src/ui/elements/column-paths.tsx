/**
 * @module ColumnPaths: the bars of a chart over time as one path for each fill: an element for each
 * bar would be hundreds. The width is that of the columns, the height in pixels.
 */
import type { FC } from "hono/jsx";

/** One bar: its column, and its place in it in pixels from the top. */
export interface ColumnBar {
  readonly column: number;
  readonly top: number;
  readonly height: number;
  /** Class of the path. */
  readonly fill: string;
}

/** Part of a column that its bar takes. */
const share = 0.8;

/** The bars; those of a later fill lie over those of an earlier one. */
export const ColumnPaths: FC<{
  readonly bars: readonly ColumnBar[];
  readonly columns: number;
  readonly height: number;
}> = ({ bars, columns, height }) => (
  <svg
    class="column-paths"
    width="100%"
    height={String(height)}
    viewBox={`0 0 ${columns} ${height}`}
    preserveAspectRatio="none"
  >
    {[...Map.groupBy(bars, ({ fill }) => fill)].map(([fill, same]) => (
      <path class={fill} d={same.map(commandsOf).join("")} />
    ))}
  </svg>
);

function commandsOf({ column, top, height }: ColumnBar): string {
  const x = Number((column + (1 - share) / 2).toFixed(2));
  const [y, tall] = [Number(top.toFixed(2)), Number(height.toFixed(2))];
  return `M${x} ${y}h${share}v${tall}h-${share}z`;
}
