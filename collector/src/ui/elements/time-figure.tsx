/**
 * @module TimeFigure: the frame of a chart of turns over time: the drawing, a brush over it, its
 * axis of time with start and end, and in words what it shows and how many turns are outside of it.
 */
import { isoTime } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { countText, isToday, timeText } from "../display/figures.ts";
import type { TimeForm } from "../display/figures.ts";
import { timeTicks } from "../display/time-ticks.ts";
import { Time } from "./figure.tsx";

/** A chart's time range in epoch milliseconds, its height in pixels, and its texts. */
interface TimeFigureProps {
  readonly fromMs: number;
  readonly toMs: number;
  readonly height: number;
  /** Text of the drawing for screen readers. */
  readonly label: string;
  readonly readout: string;
  readonly class?: string;
  /** Beside the drawing, such as the names of its rows. */
  readonly scale?: Child;
  readonly children?: Child;
}

/** The frame. */
export const TimeFigure: FC<TimeFigureProps> = (props) => {
  const { fromMs, toMs, height, label, readout, scale, children } = props;
  const form = endForm(toMs - fromMs);
  return (
    <figure
      class={props.class === undefined ? "histogram" : `histogram ${props.class}`}
      data-histogram
      data-from={String(fromMs)}
      data-to={String(toMs)}
    >
      <svg width="100%" height={String(height)} role="img" aria-label={label} focusable="false">
        {children}
        <rect class="pointed" data-pointed x="0" y="0" width="0" height={String(height)} />
        <rect class="brush" data-brush x="0" y="0" width="0" height={String(height)} />
      </svg>
      {scale}
      <Axis fromMs={fromMs} toMs={toMs} />
      <figcaption>
        <Time at={isoTime(fromMs)} form={isToday(fromMs) ? form : "daytime"} />
        <span class="readout" data-readout>
          {readout}
        </span>
        <Time at={isoTime(toMs)} form={form} />
      </figcaption>
    </figure>
  );
};

/** Round times below the drawing. Both ends are in the caption, exactly. */
const Axis: FC<{ readonly fromMs: number; readonly toMs: number }> = ({ fromMs, toMs }) => {
  const { atMs, form } = timeTicks(fromMs, toMs);
  if (atMs.length === 0) return null;
  return (
    <div class="time-axis" aria-hidden="true">
      <svg width="100%" height="18" focusable="false">
        {atMs.map((ms) => {
          const x = `${(((ms - fromMs) / (toMs - fromMs)) * 100).toFixed(3)}%`;
          const at = isoTime(ms);
          return (
            <>
              <line x1={x} x2={x} y1="0" y2="4" />
              <text x={x} y="15" text-anchor="middle" data-at={at} data-form={form}>
                {timeText(at, "utc", form)}
              </text>
            </>
          );
        })}
      </svg>
    </div>
  );
};

/** Height of the words over the bars of a chart with one scale. */
export const peakHeight = 14;

/** The value of a full bar, over the drawing. */
export const Peak: FC<{ readonly of: string }> = ({ of }) => (
  <text class="band" x="0" y="10">
    up to {of}
  </text>
);

/** How exact both ends are written, so that they differ. */
function endForm(spanMs: number): TimeForm {
  if (spanMs > 86_400_000) return "daytime";
  if (spanMs >= 600_000) return "minute";
  // Bars of less than a second begin and end within one.
  return spanMs > 10_000 ? "second" : "time";
}

/** `1 turn`, `3 turns`. */
export function turnsText(count: number): string {
  return `${countText(count)} ${count === 1 ? "turn" : "turns"}`;
}

/** Turns outside of the chart, in words: outside of its range, or with a broken clock. */
export function elsewhereText(all: number, drawn: number): string {
  return all > drawn ? `, ${countText(all - drawn)} more at other times` : "";
}
