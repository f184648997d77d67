/**
 * @module CallSpark: calls over time as small bars, with the failed ones in them, and their p95 as
 * a line above them. An interval without a call has neither.
 */
import type { FC } from "hono/jsx";

import { countText, durationText } from "../display/figures.ts";

/** Calls in one interval. */
export interface SparkSlice {
  readonly from_ms: number;
  readonly calls: number;
  readonly failed: number;
  readonly p95_ms?: number | null;
}

const height = 20;
/** Height of the bars below a line, and of the line above them. */
const barsHeight = 11;
const lineHeight = 7;

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
  const longest = Math.max(0, ...slices.map(({ p95_ms: ms }) => ms ?? 0));
  const tallest = longest === 0 ? height : barsHeight;
  const bars = (of: (slice: SparkSlice) => number): string =>
    slices
      .filter((slice) => of(slice) > 0)
      .map((slice) => {
        const x = Math.round((slice.from_ms - frame.from_ms) / frame.step_ms) * 2;
        const tall = Math.max(1, (of(slice) / most) * tallest);
        return `M${x} ${height}v-${Number(tall.toFixed(2))}h1.5V${height}z`;
      })
      .join("");
  const failed = bars((slice) => slice.failed);
  const lasting = slices
    .flatMap(({ from_ms: from, p95_ms: ms }) => {
      if (ms === null || ms === undefined || longest === 0) return [];
      const x = Math.round((from - frame.from_ms) / frame.step_ms) * 2;
      return [`M${x} ${Number((lineHeight - (ms / longest) * (lineHeight - 1)).toFixed(2))}h2`];
    })
    .join("");
  return (
    <svg
      class="call-spark"
      viewBox={`0 0 ${frame.size * 2} ${height}`}
      width="144"
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={sparkText(most, unit, longest)}
      focusable="false"
    >
      <path class="calls" d={bars((slice) => slice.calls)} />
      {failed === "" ? null : <path class="failed" d={failed} />}
      {lasting === "" ? null : <path class="lasting" d={lasting} />}
    </svg>
  );
};

function sparkText(most: number, unit: string, longest: number): string {
  const counted = `up to ${countText(most)} ${unit} in an interval`;
  return longest === 0 ? counted : `${counted}, p95 up to ${durationText(longest)}`;
}
