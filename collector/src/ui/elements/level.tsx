/**
 * @module Level: depth of a row in a tree. Indentation grows up to a level that depends on the
 * grid's width, and a number shows deeper levels: 1,500 levels stay readable.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";

const indentPx = 12;
/** Most indented levels in a wide grid, in a narrow one, and on a phone. */
const steps = { wide: 10, mid: 4, low: 2 } as const;

/** Indentation of a row; narrower grids cut it by style. */
export const LevelIndent: FC<{ readonly level: number }> = ({ level }) => (
  <svg
    class="indent"
    width={String(Math.min(level - 1, steps.wide) * indentPx)}
    height="1"
    aria-hidden="true"
  />
);

/** The level as a number, where indentation ends. */
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
