/** @module Refusal: the line of a form in which the browser shows why it was refused. */
import type { FC } from "hono/jsx";

/** The line; `of` makes its id, which fields name as their description. */
export const Refusal: FC<{ readonly of: string }> = ({ of }) => (
  <p class="refusal" id={`refusal-${of}`} role="alert" hidden data-problem></p>
);
