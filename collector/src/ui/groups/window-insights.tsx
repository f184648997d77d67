/** @module WindowInsights: insights over many turns, each with a link to its evidence. */
import type { Insights } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import { InsightList } from "../elements/insight-list.tsx";
import { hrefOf } from "../layout.tsx";
import { pageAddress } from "../display/page-address.ts";

const shownMax = 12;
const evidenceMax = 3;

/** The card. */
export const WindowInsights: FC<{
  readonly insights: Insights;
  readonly roots: Readonly<Record<string, string>>;
  readonly context: PageContext;
}> = ({ insights, roots, context }) => (
  <InsightList
    title="Trace Insights over this window"
    insights={insights}
    shownMax={shownMax}
    showsTenants
    evidenceOf={({ evidence_ids: ids, evidence_count: count }) => (
      <Evidence ids={ids} count={count} roots={roots} context={context} />
    )}
  />
);

const Evidence: FC<{
  readonly ids: readonly string[];
  readonly count: number;
  readonly roots: Readonly<Record<string, string>>;
  readonly context: PageContext;
}> = ({ ids, count, roots, context }) => {
  const placed = ids.flatMap((id) => {
    const root = roots[id];
    return root === undefined ? [] : [{ id, root }];
  });
  if (placed.length === 0) return <span class="evidence muted">over the window as a whole</span>;
  return (
    <span class="evidence">
      {placed.slice(0, evidenceMax).map(({ id, root }, index) => (
        <a
          href={hrefOf(context, `${pageAddress("traces", root)}#e-${encodeURIComponent(id)}`)}
          title={id}
        >
          evidence {index + 1}
        </a>
      ))}
      {count > evidenceMax ? <span class="muted">of {countText(count)}</span> : null}
    </span>
  );
};
