/**
 * @module StatisticsCard: the statistics of a turn below its waterfall, by operation unless
 * another grouping is chosen.
 */
import type { CausalWaterfall, TurnEvent } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { dimensions, sortLines, turnStatistics } from "../../ui/display/turn-statistics.ts";
import { waterfallRows } from "../../ui/display/waterfall-rows.ts";
import { StatisticsTable } from "../../ui/elements/statistics-table.tsx";
import { Icon } from "../../ui/icons.tsx";

/** Collapsed at first: the waterfall itself comes first. */
export const StatisticsCard: FC<{
  readonly waterfall: CausalWaterfall;
  readonly events: readonly TurnEvent[];
}> = ({ waterfall, events }) => {
  const byId = new Map(events.map((event) => [event.event_id, event]));
  const lines = turnStatistics(
    waterfallRows(waterfall),
    ({ node }) => (node?.event_ids ?? []).flatMap((id) => byId.get(id) ?? []),
    "op",
  );
  const sorting = { column: "self", descending: true } as const;
  return (
    <details class="card fold" data-statistics>
      <summary>
        <Icon name="clock" />
        <h2>Statistics</h2>
        <span class="muted">time of this turn by operation</span>
        <kbd aria-hidden="true">s</kbd>
      </summary>
      <div class="legend" role="group" aria-label="Statistics by" data-statistics-by hidden>
        {dimensions.map(([by, name]) => (
          <button
            class="lane"
            type="button"
            data-by={by}
            aria-pressed={by === "op" ? "true" : "false"}
          >
            {name}
          </button>
        ))}
      </div>
      <div data-statistics-place>
        <StatisticsTable
          lines={sortLines(lines, sorting.column, sorting.descending)}
          by="op"
          sorting={sorting}
        />
      </div>
    </details>
  );
};
