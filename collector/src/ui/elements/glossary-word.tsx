/**
 * @module GlossaryWord: a word with its meaning: on hover, and beside it while it has the focus
 * (the tips of the browser module).
 */
import type { Child, FC } from "hono/jsx";

import { glossary } from "../display/glossary.ts";
import type { GlossaryWord } from "../display/glossary.ts";

/** The word; it is a stop of the keyboard. */
export const Word: FC<{ readonly of: GlossaryWord; readonly children?: Child }> = ({
  of,
  children,
}) => (
  <dfn class="glossary-word" tabindex={0} title={glossary[of]} data-word-of={of}>
    {children ?? of}
  </dfn>
);
