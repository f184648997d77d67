/** @module OpenPoints: what the comparison does not establish, shown before its results. */
import type { TraceComparison } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { openPoints } from "../../ui/display/compare-texts.ts";
import { countText } from "../../ui/display/figures.ts";
import { Card } from "../../ui/elements/panel.tsx";

/** The list; empty only where windows, results and figures are known on both sides. */
export const OpenPoints: FC<{ readonly comparison: TraceComparison }> = ({ comparison }) => {
  const points = openPoints(comparison);
  return (
    <Card
      title="Not established"
      id="not-established"
      icon="unknown"
      end={countText(points.length)}
    >
      {points.length === 0 ? (
        <p class="muted">
          Nothing is left open: both windows are complete, both results were judged, and every
          figure is known on both sides.
        </p>
      ) : (
        <ul class="open-points">
          {points.map(({ what, why }) => (
            <li>
              <span class="what">{what}</span>
              <span class="why">{why}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};
