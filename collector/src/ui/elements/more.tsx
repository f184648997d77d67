/**
 * @module More: a list whose first lines are shown, the next can be opened, and the rest is a
 * count: every list of a page is bounded and states its rest.
 */
import type { Child, FC } from "hono/jsx";

import { countText } from "../display/figures.ts";

/** Lines of a list; `first` are shown, up to `most` are on the page. */
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
