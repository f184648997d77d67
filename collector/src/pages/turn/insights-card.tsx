/** @module InsightsCard: insights into this turn, with the events behind them. */
import type { Insights } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { InsightList } from "../../ui/elements/insight-list.tsx";
import { EvidenceLinks } from "../../ui/elements/evidence-links.tsx";

const shownMax = 20;

/** Trace Insights of the selected turns. */
export const InsightsCard: FC<{ readonly insights: Insights }> = ({ insights }) => (
  <InsightList
    title="Trace Insights"
    insights={insights}
    shownMax={shownMax}
    evidenceOf={({ evidence_ids: ids, evidence_count: count }) => (
      <EvidenceLinks ids={ids} count={count} />
    )}
  />
);
