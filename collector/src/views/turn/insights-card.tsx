/**
 * @module InsightsCard: what stands out in this turn, with the events that show it.
 */
import type { Insights } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../display/figures.ts";
import { PriorityBadge } from "../elements/badge.tsx";
import { Card } from "../elements/panel.tsx";
import { EvidenceLinks } from "./evidence-links.tsx";

const shownMax = 20;

/** Trace Insights of the selected turns. */
export const InsightsCard: FC<{ readonly insights: Insights }> = ({ insights }) => (
  <Card title="Trace Insights" icon="info" id="insights" end={countText(insights.total)} flush>
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
              <p>
                {insight.finding} <span class="muted">{insight.recommendation}</span>
              </p>
            </div>
            <EvidenceLinks ids={insight.evidence_ids} count={insight.evidence_count} />
          </li>
        ))}
      </ol>
    )}
    {insights.total > shownMax ? (
      <p class="muted padded">and {countText(insights.total - shownMax)} more in the JSON</p>
    ) : null}
  </Card>
);
