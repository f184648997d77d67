/**
 * @module CallsChart: calls over time with the failed ones in front, and below them how long the
 * slowest took.
 */
import type { FC } from "hono/jsx";

import type { CallRows, CallSlice } from "../../turns/call-rows.ts";
import { countText, durationText } from "../../ui/display/figures.ts";
import { BandChart, unknownMark } from "../../ui/elements/band-chart.tsx";
import type { ChartBand } from "../../ui/elements/band-chart.tsx";
import { elsewhereText } from "../../ui/elements/time-figure.tsx";

const lastingHeight = 36;

type Slice = CallSlice & { readonly to_ms: number };

/** The chart; nothing where no time is drawn. */
export const CallsChart: FC<{
  readonly of: Omit<CallRows, "rows">;
  /** What the calls are of. */
  readonly name: string;
}> = ({ of, name }) => {
  const { frame, total } = of;
  if (frame === null) return <></>;
  const byStart = new Map(of.slices.map((slice) => [slice.from_ms, slice]));
  const slices = Array.from({ length: frame.size }, (_, index): Slice => {
    const fromMs = frame.from_ms + index * frame.step_ms;
    const nothing = { from_ms: fromMs, calls: 0, failed: 0, p95_ms: null };
    return { ...(byStart.get(fromMs) ?? nothing), to_ms: fromMs + frame.step_ms };
  });
  const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
  const failed = slices.reduce((sum, slice) => sum + slice.failed, 0);
  const text =
    `${callsText(calls)} of ${name}` + (failed === 0 ? "" : `, ${countText(failed)} failed`);
  return (
    <div data-histogram-place>
      <BandChart
        slices={slices}
        bands={bandsOf(slices)}
        words={{
          name: "calls",
          label: `${text}, over time`,
          readout: text + elsewhereText(total.calls, calls),
          counted: (slice) => slice.calls,
          slice: sliceText,
        }}
      />
    </div>
  );
};

function bandsOf(slices: readonly Slice[]): readonly ChartBand<Slice>[] {
  const most = Math.max(1, ...slices.map(({ calls }) => calls));
  const lasting = Math.max(0, ...slices.map(({ p95_ms: ms }) => ms ?? 0));
  return [
    {
      title: `Calls, up to ${countText(most)}`,
      height: 48,
      marks: ({ calls, failed }) =>
        [
          { tone: "range", from: 0, to: calls / most },
          { tone: "failed", from: 0, to: failed / most },
        ].filter(({ to }) => to > 0),
    },
    {
      title: lasting === 0 ? "p95 of the durations" : `p95, up to ${durationText(lasting)}`,
      height: lastingHeight,
      marks: ({ calls, p95_ms: ms }) => {
        if (calls === 0) return [];
        if (ms === null) return [unknownMark(lastingHeight)];
        return lasting === 0 ? [] : [{ tone: "range", from: 0, to: ms / lasting }];
      },
    },
  ];
}

/** An interval in words. */
function sliceText({ calls, failed, p95_ms: ms }: Slice): string {
  if (calls === 0) return callsText(0);
  const lasting = ms === null ? "duration unknown" : `p95 ${durationText(ms)}`;
  return `${callsText(calls)}${failed === 0 ? "" : `, ${countText(failed)} failed`}; ${lasting}`;
}

/** `1 call`, `3 calls`. */
function callsText(count: number): string {
  return `${countText(count)} ${count === 1 ? "call" : "calls"}`;
}
