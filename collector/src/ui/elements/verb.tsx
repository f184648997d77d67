/**
 * @module Verb: icon and word of a change, in neutral colours; dashed when it is not established.
 */
import type { FC } from "hono/jsx";

import { verbWords } from "../display/compare-words.ts";
import type { Verb as Name } from "../display/compare-words.ts";

/** One verb. `bare` shows the icon; the word is for screen readers. */
export const Verb: FC<{ readonly of: Name; readonly bare?: boolean }> = ({ of, bare = false }) => {
  const [sign, word] = verbWords[of];
  return (
    <span class={`verb ${of}`} title={word}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class={bare ? "sr" : "word"}>{word}</span>
    </span>
  );
};
