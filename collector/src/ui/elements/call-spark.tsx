/**
 * @module CallSpark: calls over time as small bars, with the failed ones in them. An interval
 * without a call has no bar.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";

/** Calls in one interval. */
export interface SparkSlice {
  readonly from_ms: number;
  readonly calls: number;
  readonly failed: number;
}

const height = 20;

/** The bars, each set as one path; the table beside them has the sums. */
export const CallSpark: FC<{
  readonly slices: readonly SparkSlice[];
  readonly frame: {
    readonly from_ms: number;
    readonly step_ms: number;
    readonly size: number;
  } | null;
  /** What is counted. */
  readonly unit?: "calls" | "turns";
}> = ({ slices, frame, unit = "calls" }) => {
  if (frame === null || slices.length === 0) return <></>;
  const most = Math.max(...slices.map(({ calls }) => calls));
  const bars = (of: (slice: SparkSlice) => number): string =>
    slices
      .filter((slice) => of(slice) > 0)
      .map((slice) => {
        const x = Math.round((slice.from_ms - frame.from_ms) / frame.step_ms) * 2;
        const tall = Math.max(1, (of(slice) / most) * height);
        return `M${x} ${height}v-${Number(tall.toFixed(2))}h1.5V${height}z`;
      })
      .join("");
  const failed = bars((slice) => slice.failed);
  return (
    <svg
      class="call-spark"
      viewBox={`0 0 ${frame.size * 2} ${height}`}
      width="144"
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={`up to ${countText(most)} ${unit} in an interval`}
      focusable="false"
    >
      <path class="calls" d={bars((slice) => slice.calls)} />
      {failed === "" ? null : <path class="failed" d={failed} />}
    </svg>
  );
};
