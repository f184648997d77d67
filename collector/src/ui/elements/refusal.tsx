/**
 * @module Refusal: the line of a form that shows why it was refused: by the browser, or where its
 * answer is the page itself.
 */
import type { FC } from "hono/jsx";

import type { ShownRefusal } from "../display/shown-refusal.ts";

/** The line; `of` makes its id, which fields name as their description. */
export const Refusal: FC<{
  readonly of: string;
  readonly refused?: ShownRefusal | undefined;
}> = ({ of, refused }) => (
  <p class="refusal" id={`refusal-${of}`} role="alert" hidden={refused?.of !== of} data-problem>
    {refused?.of === of ? refused.detail : null}
  </p>
);
