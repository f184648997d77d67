/**
 * @module ChangeBadge: icon and word of a change, in neutral colours; dashed when it is not
 * established.
 */
import type { FC } from "hono/jsx";

import { verbTexts } from "../display/compare-texts.ts";
import type { Verb as Name } from "../display/compare-texts.ts";

/** One verb. `bare` shows the icon; the word is for screen readers. */
export const ChangeBadge: FC<{ readonly of: Name; readonly bare?: boolean }> = ({
  of,
  bare = false,
}) => {
  const [sign, word] = verbTexts[of];
  return (
    <span class={`verb ${of}`} title={word}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class={bare ? "sr" : "word"}>{word}</span>
    </span>
  );
};
