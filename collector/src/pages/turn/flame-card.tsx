/**
 * @module FlameCard: the turn as a flame: boxes as wide as they took, each below its parent. The
 * waterfall has the same rows as a grid.
 */
import type { CausalWaterfall } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText, durationText } from "../../ui/display/figures.ts";
import { flameOf } from "../../ui/display/flame-rows.ts";
import type { Flame, FlameBox } from "../../ui/display/flame-rows.ts";
import { waterfallRows } from "../../ui/display/waterfall-rows.ts";

const boxesMax = 300;
const rowPx = 20;

/** The card, closed at first; nothing where no row has a known time. */
export const FlameCard: FC<{ readonly waterfall: CausalWaterfall }> = ({ waterfall }) => {
  const flame = flameOf(waterfallRows(waterfall), boxesMax);
  if (flame.boxes.length === 0 || flame.extentMs <= 0) return <></>;
  return (
    <details class="card flame" id="flame" data-flame>
      <summary>
        Flame <span class="muted">{extentText(flame)}</span>
      </summary>
      <svg
        class="flame-boxes"
        width="100%"
        height={flame.depth * rowPx}
        role="group"
        aria-label="Flame of the turn"
      >
        {flame.boxes.map((box) => (
          <Box of={box} extentMs={flame.extentMs} />
        ))}
      </svg>
    </details>
  );
};

function extentText({ boxes, extentMs, unknown, left }: Flame): string {
  return [
    `${countText(boxes.length)} of ${countText(boxes.length + unknown + left)} rows over ` +
      durationText(extentMs),
    ...(unknown === 0 ? [] : [`${countText(unknown)} without a known time are not drawn`]),
    ...(left === 0 ? [] : [`${countText(left)} are shorter than these`]),
  ].join("; ");
}

const Box: FC<{ readonly of: FlameBox; readonly extentMs: number }> = ({ of, extentMs }) => {
  const percent = (ms: number): string => `${Number(((ms / extentMs) * 100).toFixed(3))}%`;
  // A box without a width cannot show its focus: it is drawn, and its row is in the waterfall.
  const isWide = of.toMs - of.fromMs >= extentMs / 100;
  const words = `${of.name}, ${durationText(of.toMs - of.fromMs)}${of.failed ? ", failed" : ""}`;
  const drawn = (
    <>
      <title>{words}</title>
      <svg
        x={percent(of.fromMs)}
        y={of.depth * rowPx}
        width={percent(Math.max(of.toMs - of.fromMs, extentMs / 500))}
        height={rowPx - 2}
      >
        <rect class={of.failed ? "box bad" : `box ${of.lane}`} width="100%" height="100%" rx="2" />
        <foreignObject width="100%" height="100%" aria-hidden="true">
          <div class="flame-label">
            <span>{of.name}</span>
          </div>
        </foreignObject>
      </svg>
    </>
  );
  return isWide ? (
    <a href={`#e-${encodeURIComponent(of.event_id)}`} data-meaning={words}>
      {drawn}
    </a>
  ) : (
    <g data-meaning={words}>{drawn}</g>
  );
};
