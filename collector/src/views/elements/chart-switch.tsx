/**
 * @module ChartSwitch: what is drawn over the list of turns: how many, or how long they took. Each
 * choice is a link, so it works without script and a link to the page keeps it.
 */
import type { FC } from "hono/jsx";

const charts = [
  ["count", "How many"],
  ["duration", "How long"],
] as const;

/** The two links. `hrefOf` gives the address of the page with the chart, null for the first. */
export const ChartSwitch: FC<{
  readonly chosen: string | null;
  readonly hrefOf: (chart: string | null) => string;
}> = ({ chosen, hrefOf }) => (
  <nav class="chart-switch" aria-label="Chart">
    {charts.map(([chart, name], index) => (
      <a
        href={hrefOf(index === 0 ? null : chart)}
        title={`${name} turns ${index === 0 ? "there are" : "take"}, over time (d)`}
        {...((chosen ?? "count") === chart ? { "aria-current": "true" } : { "data-chart": chart })}
      >
        {name}
      </a>
    ))}
  </nav>
);
