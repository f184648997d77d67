/**
 * @module WindowInsights: what stands out over many turns, each with the way to what shows it.
 */
import type { Insights } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../display/figures.ts";
import type { Frame } from "../../http/respond.tsx";
import { PriorityBadge } from "../elements/badge.tsx";
import { TenantChip } from "../elements/chip.tsx";
import { Card } from "../elements/panel.tsx";
import { hrefOf } from "../layout.tsx";

const shownMax = 12;
const evidenceMax = 3;

/** The card. */
export const WindowInsights: FC<{
  readonly insights: Insights;
  readonly roots: Readonly<Record<string, string>>;
  readonly frame: Frame;
}> = ({ insights, roots, frame }) => (
  <Card
    title="Trace Insights over this window"
    icon="info"
    id="insights"
    end={countText(insights.total)}
    flush
  >
    {insights.insights.length === 0 ? (
      <p class="muted padded">Nothing stands out by the rules of the insights.</p>
    ) : (
      <ol class="findings">
        {insights.insights.slice(0, shownMax).map((insight) => (
          <li>
            <PriorityBadge priority={insight.priority} />
            <div>
              <b>{insight.title}</b>
              {insight.subject === null ? null : <code> {insight.subject}</code>}
              {insight.identity === null ? null : (
                <>
                  {" "}
                  <TenantChip userId={insight.identity.user_id} />
                </>
              )}
              <p>
                {insight.finding} <span class="muted">{insight.recommendation}</span>
              </p>
            </div>
            <Evidence
              ids={insight.evidence_ids}
              count={insight.evidence_count}
              roots={roots}
              frame={frame}
            />
          </li>
        ))}
      </ol>
    )}
    {insights.total > shownMax ? (
      <p class="muted padded">and {countText(insights.total - shownMax)} more in the JSON</p>
    ) : null}
  </Card>
);

const Evidence: FC<{
  readonly ids: readonly string[];
  readonly count: number;
  readonly roots: Readonly<Record<string, string>>;
  readonly frame: Frame;
}> = ({ ids, count, roots, frame }) => {
  const placed = ids.flatMap((id) => {
    const root = roots[id];
    return root === undefined ? [] : [{ id, root }];
  });
  if (placed.length === 0) return <span class="evidence muted">over the window as a whole</span>;
  return (
    <span class="evidence">
      {placed.slice(0, evidenceMax).map(({ id, root }, index) => (
        <a
          href={hrefOf(frame, `/traces/${encodeURIComponent(root)}#e-${encodeURIComponent(id)}`)}
          title={id}
        >
          evidence {index + 1}
        </a>
      ))}
      {count > evidenceMax ? <span class="muted">of {countText(count)}</span> : null}
    </span>
  );
};
