/**
 * @module Level: how deep a row of a tree stands. Indentation grows with the level and then no
 * more, the sooner the narrower the grid is, and a numeral goes on: 1,500 levels stay readable.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";

const indentPx = 12;
/** Levels that are indented in a wide grid, in a narrow one, and in one of a phone. */
const steps = { wide: 10, mid: 4, low: 2 } as const;

/** Room before a row; narrower grids cut it by style. */
export const LevelIndent: FC<{ readonly level: number }> = ({ level }) => (
  <svg
    class="indent"
    width={String(Math.min(level - 1, steps.wide) * indentPx)}
    height="1"
    aria-hidden="true"
  />
);

/** The level in figures, where indentation does not reach it. */
export const LevelNumeral: FC<{ readonly level: number }> = ({ level }) => {
  const below = level - 1;
  if (below <= steps.low) return <></>;
  const reach = below > steps.wide ? "" : below > steps.mid ? " mid" : " low";
  return (
    <span class={`depth${reach}`} title={`Level ${countText(level)}`} aria-hidden="true">
      {level}
    </span>
  );
};
