/**
 * @module InsightList: the card of insights: the first ones in words, each with a link to its
 * evidence.
 */
import type { Insight, Insights } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import { PriorityBadge } from "./badge.tsx";
import { TenantChip } from "./chip.tsx";
import { Card } from "./panel.tsx";

/** The card. Over many turns each insight has its owner. */
export const InsightList: FC<{
  readonly title: string;
  readonly insights: Insights;
  readonly shownMax: number;
  readonly showsTenants?: boolean;
  /** The link to its evidence. */
  readonly evidenceOf: (insight: Insight) => Child;
}> = ({ title, insights, shownMax, showsTenants = false, evidenceOf }) => (
  <Card title={title} icon="info" id="insights" end={countText(insights.total)} flush>
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
              {!showsTenants || insight.identity === null ? null : (
                <>
                  {" "}
                  <TenantChip userId={insight.identity.user_id} />
                </>
              )}
              <p>
                {insight.finding} <span class="muted">{insight.recommendation}</span>
              </p>
            </div>
            {evidenceOf(insight)}
          </li>
        ))}
      </ol>
    )}
    {insights.total > shownMax ? (
      <p class="muted padded">and {countText(insights.total - shownMax)} more in the JSON</p>
    ) : null}
  </Card>
);
