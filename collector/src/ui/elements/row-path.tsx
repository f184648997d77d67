/**
 * @module RowPath: ancestors of a selected row, from the root: in a deep chain indentation ends
 * and this line continues. The middle of a long path is a count.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";

/** A row above the selected one. */
export interface PathStep {
  readonly index: number;
  readonly name: string;
}

const nearest = 3;

/** The start of the path, how many are left out, and the nearest rows; each leads to its row. */
export const RowPath: FC<{ readonly steps: readonly PathStep[]; readonly level: number }> = ({
  steps,
  level,
}) => {
  const [top] = steps;
  if (top === undefined) return <span class="muted">Top of the tree</span>;
  const long = steps.length > nearest + 1;
  const end = long ? steps.slice(-nearest) : steps.slice(1);
  return (
    <>
      <span class="muted">
        Level <b class="num">{countText(level)}</b> below
      </span>
      <ol>
        <Step of={top} />
        {long ? <li class="muted">{countText(steps.length - nearest - 1)} more</li> : null}
        {end.map((step) => (
          <Step of={step} />
        ))}
      </ol>
    </>
  );
};

const Step: FC<{ readonly of: PathStep }> = ({ of: { index, name } }) => (
  <li>
    <button class="button bare small" type="button" data-step={String(index)} title={name}>
      {name}
    </button>
  </li>
);
