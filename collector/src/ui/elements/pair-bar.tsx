/**
 * @module PairBar: one figure of both sides as two bars. Longer is not worse and shorter is not
 * better, so both have the same colour.
 */
import type { Delta } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { sideNames } from "../display/compare-texts.ts";

/** Two bars on one scale, A outlined above B filled; an unknown value is hatched. */
export const PairBar: FC<{
  readonly of: Delta;
  readonly scale: number;
  /** A value with its unit, for screen readers. */
  readonly words: (value: number) => string;
}> = ({ of, scale, words }) => {
  const textOf = (value: number | null): string => (value === null ? "unknown" : words(value));
  const { baseline: a, candidate: b } = of;
  const label = `${sideNames.baseline} ${textOf(a)}, ${sideNames.candidate} ${textOf(b)}`;
  if ((a ?? 0) === 0 && (b ?? 0) === 0 && (a === b || scale === 0)) return <></>;
  return (
    <svg class="pair" height="16" role="img" aria-label={label} focusable="false">
      <Side value={a} scale={scale} y="1" look="hollow" />
      <Side value={b} scale={scale} y="9" look="solid" />
    </svg>
  );
};

const Side: FC<{
  readonly value: number | null;
  readonly scale: number;
  readonly y: string;
  readonly look: "hollow" | "solid";
}> = ({ value, scale, y, look }) => {
  if (value === null) return <rect class="unknown-fill" x="0.5" y={y} width="99%" height="6" />;
  const share = scale <= 0 ? 0 : Math.min(1, value / scale) * 99;
  return (
    <>
      <rect class={look} x="0.5" y={y} width={`${share.toFixed(2)}%`} height="6" rx="1" />
      <rect class={look} x="0.5" y={y} width="1.5" height="6" />
    </>
  );
};
