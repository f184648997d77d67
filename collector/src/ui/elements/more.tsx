/**
 * @module More: a list of which the first lines stand open, the next can be opened, and the rest is
 * a count: no list of a page grows without end, and none ends without saying so.
 */
import type { Child, FC } from "hono/jsx";

import { countText } from "../display/figures.ts";

/** Lines of a list; `first` are open, up to `most` are on the page. */
export const More: FC<{
  readonly lines: readonly Child[];
  readonly first: number;
  readonly most?: number;
}> = ({ lines, first, most = 400 }) => {
  const folded = lines.slice(first, most);
  const beyond = lines.length - Math.min(lines.length, most);
  return (
    <>
      {lines.slice(0, first)}
      {folded.length === 0 ? null : (
        <details class="more">
          <summary>Show {countText(folded.length)} more</summary>
          {folded}
        </details>
      )}
      {beyond <= 0 ? null : (
        <p class="muted">and {countText(beyond)} more in the JSON of this page</p>
      )}
    </>
  );
};
