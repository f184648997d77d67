/**
 * @module ChartSwitch: the chart above the list of turns: volume, duration or outcome. Each choice
 * is a link, so it works without script and a link to the page keeps it.
 */
import type { FC } from "hono/jsx";

const charts = [
  ["count", "Volume", "How many turns there are"],
  ["duration", "Duration", "How long turns take"],
  ["trend", "Outcome", "Verdicts, durations, tools and tokens over time"],
] as const;

/** The links. `hrefOf` gives the address of the page with the chart, null for the first. */
export const ChartSwitch: FC<{
  readonly chosen: string | null;
  readonly hrefOf: (chart: string | null) => string;
}> = ({ chosen, hrefOf }) => {
  const at = charts.findIndex(([chart]) => chart === (chosen ?? "count"));
  return (
    <nav class="chart-switch" aria-label="Chart" slot="switch">
      {charts.map(([chart, name, words], index) => (
        <a
          href={hrefOf(index === 0 ? null : chart)}
          title={`${words}, over time (d)`}
          data-control={`chart ${chart}`}
          {...(index === at ? { "aria-current": "true" } : {})}
          {...(index === (at + 1) % charts.length ? { "data-next-chart": "" } : {})}
        >
          {name}
        </a>
      ))}
    </nav>
  );
};
