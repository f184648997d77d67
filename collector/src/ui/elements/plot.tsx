/**
 * @module Plot: a small line over time as SVG. The line is broken where a value is unknown, and the
 * horizontal axis is time, so that late samples stand apart.
 */
import type { FC } from "hono/jsx";

const width = 200;
const height = 72;

/** One measured value; `null` is unknown. */
export interface PlotValue {
  readonly at_ms: number;
  readonly value: number | null;
}

/** Commands of the line's path; a value alone between unknown ones is a dot. */
export function linePath(values: readonly PlotValue[]): string {
  const first = values[0]?.at_ms ?? 0;
  const span = (values.at(-1)?.at_ms ?? first) - first || 1;
  const most = Math.max(0, ...values.map(({ value }) => value ?? 0)) * 1.1 || 1;
  const place = (number: number): number => Number(number.toFixed(2));
  return values
    .map(({ at_ms: at, value }, index) => {
      if (value === null) return "";
      const x = place(((at - first) / span) * width);
      const y = place(height - (value / most) * height);
      const before = values[index - 1]?.value ?? null;
      return before === null ? `M${x} ${y}h0` : `L${x} ${y}`;
    })
    .join("");
}

/** The line. `label` is its name for screen readers. */
export const Plot: FC<{ readonly label: string; readonly values: readonly PlotValue[] }> = ({
  label,
  values,
}) => (
  <svg
    class="watch-plot"
    viewBox={`0 0 ${width} ${height}`}
    height={height}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
    focusable="false"
  >
    <path d={linePath(values)} />
  </svg>
);
