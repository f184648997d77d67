/**
 * @module BarPaths: the bars of a chart over time, one path for each tone: an element for each bar
 * would be many. Hatched bars are one hatched area that is cut to their form.
 */
import type { FC } from "hono/jsx";

/** One bar. */
export interface ChartBar {
  /** Number of its interval. */
  readonly at: number;
  /** Class of its fill; `unknown-fill` is hatched. */
  readonly tone: string;
  /** Upper end and height, in pixels. */
  readonly top: number;
  readonly tall: number;
}

/** Share of an interval's width that its bars take. */
const wide = 0.8;
const hatched = "unknown-fill";

/** The bars of `size` intervals. `name` is that of the chart, unique on its page. */
export const BarPaths: FC<{
  readonly bars: readonly ChartBar[];
  readonly size: number;
  readonly height: number;
  readonly name: string;
}> = ({ bars, size, height, name }) => {
  const tones = Map.groupBy(bars, ({ tone }) => tone);
  const unknown = tones.get(hatched);
  return (
    <>
      <svg
        width="100%"
        height={String(height)}
        viewBox={`0 0 ${size} ${height}`}
        preserveAspectRatio="none"
      >
        {[...tones].map(([tone, own]) => (
          <path class={tone === hatched ? "unknown-edge" : tone} d={pathOf(own, 1, 1)} />
        ))}
      </svg>
      {unknown === undefined ? null : (
        <>
          <clipPath id={`unknown-${name}`} clipPathUnits="objectBoundingBox">
            <path d={pathOf(unknown, size, height)} />
          </clipPath>
          <rect
            class="unknown-fill"
            x="0"
            y="0"
            width="100%"
            height={String(height)}
            clip-path={`url(#unknown-${name})`}
          />
        </>
      )}
    </>
  );
};

/** The path of some bars, in parts of a width and a height. */
function pathOf(bars: readonly ChartBar[], width: number, height: number): string {
  const across = (intervals: number): string => String(Number((intervals / width).toFixed(5)));
  const down = (pixels: number): string => String(Number((pixels / height).toFixed(5)));
  return bars
    .map(
      ({ at, top, tall }) =>
        `M${across(at + (1 - wide) / 2)} ${down(top)}h${across(wide)}v${down(tall)}` +
        `h-${across(wide)}z`,
    )
    .join("");
}
