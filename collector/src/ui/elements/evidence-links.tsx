/**
 * @module EvidenceLinks: links from a statement to the events behind it. Without script a link
 * leads to the event's line among the raw events; with script it selects the row of the waterfall.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import { Icon } from "../icons.tsx";

const shownMax = 3;

/** Links to events, the first few of them. */
export const EvidenceLinks: FC<{
  readonly ids: readonly string[];
  readonly count?: number;
  /** An icon instead of the word, for tables. */
  readonly bare?: boolean;
}> = ({ ids, count = ids.length, bare = false }) =>
  ids.length === 0 ? (
    <span class="evidence muted">based on missing evidence</span>
  ) : (
    <span class="evidence">
      {ids.slice(0, shownMax).map((id, index) => (
        <a href={`#e-${encodeURIComponent(id)}`} data-evidence={id} title={id}>
          {bare ? (
            <Icon name="path" label="evidence" />
          ) : ids.length === 1 ? (
            "evidence"
          ) : (
            `evidence ${index + 1}`
          )}
        </a>
      ))}
      {count > shownMax ? <span class="muted">of {countText(count)}</span> : null}
    </span>
  );
