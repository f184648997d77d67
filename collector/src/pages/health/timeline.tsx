/**
 * @module Timeline: events that were read over time, with errors and refused attributes below on
 * scales of their own. Drawn by the server; needs no script.
 */
import { isoTime } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import { countText, durationText } from "../../ui/display/figures.ts";
import type { HealthSlice, HealthTimeline } from "./health-timeline.ts";
import { Time } from "../../ui/elements/figure.tsx";
import { Card } from "../../ui/elements/panel.tsx";

const series = [
  ["events", "events", 56],
  ["errors", "events in error", 24],
  ["refused", "attributes refused at a door", 24],
] as const;

/** The card. */
export const TimelineCard: FC<{
  readonly timeline: HealthTimeline;
  readonly events: number;
}> = ({ timeline, events }) => {
  const { slices, step_ms: step } = timeline;
  const first = slices[0];
  const last = slices.at(-1);
  if (first === undefined || last === undefined) return <></>;
  const end = isoTime(Date.parse(last.from) + step);
  const form = step * slices.length > 86_400_000 ? "daytime" : "second";
  return (
    <Card
      title="Over time"
      id="over-time"
      icon="clock"
      end={`${countText(events)} events, ${durationText(step)} a bar`}
    >
      <div class="strips">
        {series.map(([field, words, height]) => (
          <Strip slices={slices} field={field} words={words} height={height} />
        ))}
      </div>
      <div class="strip-axis">
        <Time at={first.from} form={form} />
        <Time at={end} form={form} />
      </div>
      {timeline.implausible === 0 ? null : (
        <p class="muted">
          {countText(timeline.implausible)} {timeline.implausible === 1 ? "event is" : "events are"}{" "}
          not shown: by the time of receipt the clock that wrote{" "}
          {timeline.implausible === 1 ? "it" : "them"} cannot be right.
        </p>
      )}
    </Card>
  );
};

const Strip: FC<{
  readonly slices: readonly HealthSlice[];
  readonly field: "events" | "errors" | "refused";
  readonly words: string;
  readonly height: number;
}> = ({ slices, field, words, height }) => {
  const most = slices.reduce((max, slice) => Math.max(max, slice[field]), 0);
  const total = slices.reduce((sum, slice) => sum + slice[field], 0);
  const slot = 100 / slices.length;
  return (
    <figure class="strip">
      <figcaption>
        <b>{countText(total)}</b> {words}
        <span class="muted"> · most in one bar {countText(most)}</span>
      </figcaption>
      <svg
        width="100%"
        height={String(height)}
        role="img"
        aria-label={`${countText(total)} ${words} over time, at most ${countText(most)} in one bar`}
        focusable="false"
      >
        {slices.map((slice, index) => {
          const value = slice[field];
          const tall = value === 0 || most === 0 ? 0 : Math.max(2, (value / most) * (height - 2));
          return tall === 0 ? null : (
            <rect
              class={field}
              x={`${(index * slot + slot * 0.08).toFixed(3)}%`}
              y={String(height - tall)}
              width={`${(slot * 0.84).toFixed(3)}%`}
              height={String(tall)}
              rx="1"
            >
              <title>{`${countText(value)} ${words} from ${slice.from}`}</title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
};
