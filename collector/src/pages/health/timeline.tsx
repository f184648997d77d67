/**
 * @module Timeline: events that were read over time, with errors and refused attributes below on
 * scales of their own, in bands of one chart. Drawn by the server; in the browser a brush over it
 * selects a range.
 */
import type { FC } from "hono/jsx";

import { countText, spanText } from "../../ui/display/figures.ts";
import type { HealthSlice, HealthTimeline } from "./health-timeline.ts";
import { Card } from "../../ui/elements/panel.tsx";
import { TimeFigure } from "../../ui/elements/time-figure.tsx";

type Field = "events" | "errors" | "refused";

const titleHeight = 16;

/** One band: its name, and where it is in the drawing. */
interface Band {
  readonly field: Field;
  readonly words: string;
  readonly top: number;
  readonly height: number;
}

const bands: readonly Band[] = [
  { field: "events", words: "events", top: 16, height: 56 },
  { field: "errors", words: "events in error", top: 96, height: 24 },
  { field: "refused", words: "attributes refused", top: 144, height: 24 },
];
const height = 169;

/** The card. */
export const TimelineCard: FC<{
  readonly timeline: HealthTimeline;
  readonly events: number;
}> = ({ timeline, events }) => {
  const { slices, step_ms: step } = timeline;
  const first = slices[0];
  const last = slices.at(-1);
  if (first === undefined || last === undefined) return <></>;
  const most = greatest(slices);
  const all = wordsOf(total(slices));
  return (
    <Card
      title="Over time"
      id="over-time"
      icon="clock"
      end={`${countText(events)} events, ${spanText(step)} a bar`}
    >
      <div data-histogram-place>
        <TimeFigure
          class="bands event-bands"
          fromMs={Date.parse(first.from)}
          toMs={Date.parse(last.from) + step}
          height={height}
          label={`${all} over time`}
          readout={all}
        >
          {bands.map(({ field, words, top }) => (
            <text class="band" x="0" y={String(top + 11 - titleHeight)}>
              {most[field] === 0 ? `No ${words}` : `${words}, up to ${countText(most[field])}`}
            </text>
          ))}
          {slices.map((slice, index) => (
            <Bars of={slice} slot={[index, slices.length]} most={most} />
          ))}
          {bands.map(({ top, height: tall }) => {
            const y = String(top + tall + 0.5);
            return <line class="floor" x1="0" x2="100%" y1={y} y2={y} />;
          })}
        </TimeFigure>
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

const Bars: FC<{
  readonly of: HealthSlice;
  readonly slot: readonly [index: number, size: number];
  readonly most: SliceCounts;
}> = ({ of, slot: [index, size], most }) => {
  const wide = 100 / size;
  return (
    <g data-from={String(Date.parse(of.from))} data-words={wordsOf(of)}>
      {bands.map((band) => {
        const value = of[band.field];
        if (value === 0) return null;
        const tall = Math.max(2, (value / most[band.field]) * band.height);
        return (
          <rect
            class={band.field}
            x={`${(index * wide + wide * 0.08).toFixed(3)}%`}
            y={String(band.top + band.height - tall)}
            width={`${(wide * 0.84).toFixed(3)}%`}
            height={String(tall)}
            rx="1"
          />
        );
      })}
    </g>
  );
};

type SliceCounts = Readonly<Record<Field, number>>;

function total(slices: readonly HealthSlice[]): SliceCounts {
  const sum = (field: Field): number => slices.reduce((all, slice) => all + slice[field], 0);
  return { events: sum("events"), errors: sum("errors"), refused: sum("refused") };
}

function greatest(slices: readonly HealthSlice[]): SliceCounts {
  const most = (field: Field): number =>
    slices.reduce((max, slice) => Math.max(max, slice[field]), 0);
  return { events: most("events"), errors: most("errors"), refused: most("refused") };
}

/** Counts in words; errors and refused attributes where there are any. */
function wordsOf({ events, errors, refused }: SliceCounts): string {
  return [
    `${countText(events)} ${events === 1 ? "event" : "events"}`,
    ...(errors === 0 ? [] : [`${countText(errors)} in error`]),
    ...(refused === 0
      ? []
      : [`${countText(refused)} ${refused === 1 ? "attribute" : "attributes"} refused`]),
  ].join(", ");
}
