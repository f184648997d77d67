/**
 * @module Bar: quantities as SVG geometry, because the page's policy forbids inline styles. An
 * unknown value is hatched over its whole length with a question mark; it never has zero width.
 */
import type { FC } from "hono/jsx";

import { durationText } from "../display/figures.ts";

/** A share of the width in percent, as an attribute. */
function percent(part: number, whole: number): string {
  if (!(whole > 0)) return "0%";
  return `${Number((Math.min(Math.max(part / whole, 0), 1) * 100).toFixed(3))}%`;
}

/** A duration on a scale, with a tick at the p95. */
export const DurationBar: FC<{
  readonly ms: number | null;
  readonly scaleMs: number;
  readonly p95Ms?: number | null;
  readonly error?: boolean;
}> = ({ ms, scaleMs, p95Ms = null, error = false }) => {
  const tick =
    p95Ms === null || scaleMs <= 0 ? null : (
      <rect class="tick" x={percent(p95Ms, scaleMs)} y="0" width="1.5" height="12" />
    );
  const torn = ms !== null && ms > scaleMs;
  // The duration itself is beside the bar as text; without a tick the bar adds nothing.
  const heard =
    p95Ms === null
      ? { "aria-hidden": "true" }
      : { role: "img", "aria-label": `95 % end within ${durationText(p95Ms)}` };
  return (
    <svg class="meter" height="12" focusable="false" {...heard}>
      {ms === null ? (
        <UnknownFill />
      ) : (
        <rect
          class={error ? "fill bad" : "fill"}
          x="0"
          y="3"
          width={percent(ms, scaleMs)}
          height="6"
          rx="1.5"
        />
      )}
      {torn ? (
        <svg class="torn" x="100%" y="0" width="1" height="12" overflow="visible">
          <path d="M-9 13 L-5 -1 M-6 13 L-2 -1" />
        </svg>
      ) : null}
      {tick}
    </svg>
  );
};

const UnknownFill: FC = () => (
  <>
    <rect class="unknown-fill" x="0.5" y="2.5" width="99%" height="7" rx="1.5" />
    <text class="unknown-mark" x="50%" y="9.5" text-anchor="middle">
      ?
    </text>
  </>
);

/** A share of a whole; null is unknown. Without a `label` the text beside it describes it. */
export const ShareBar: FC<{
  readonly part: number | null;
  readonly whole: number;
  readonly label?: string;
  readonly tone?: "plain" | "ok" | "warn" | "bad";
}> = ({ part, whole, label, tone = "plain" }) => (
  <svg
    class="meter"
    height="12"
    focusable="false"
    {...(label === undefined ? { "aria-hidden": "true" } : { role: "img", "aria-label": label })}
  >
    {part === null ? (
      <UnknownFill />
    ) : (
      <>
        <rect class="track" x="0" y="3" width="100%" height="6" rx="1.5" />
        <rect class={`fill ${tone}`} x="0" y="3" width={percent(part, whole)} height="6" rx="1.5" />
      </>
    )}
  </svg>
);
