/** @module TurnTable: a list of turns as the server draws it, one turn per row. */
import type { TurnRow as Row } from "@turnproof/evidence";
import type { TurnOrder } from "@turnproof/store";
import type { FC } from "hono/jsx";

import { rowScale } from "../display/turn-figures.ts";
import { SortHead } from "./sort-head.tsx";
import type { SortContext } from "./sort-head.tsx";
import { TurnRow } from "./turn-row.tsx";
import type { RowContext } from "./turn-row.tsx";

/** A column of the list. */
interface ListColumn {
  readonly name: string;
  readonly heading: string;
  /** Explanation of the heading. */
  readonly title: string;
  /** The field by which the store sorts the list, if it does. */
  readonly sort?: TurnOrder["by"];
  /** The first click on the heading sorts from the smallest value: names. */
  readonly rising?: true;
}

const columns: readonly ListColumn[] = [
  { name: "c-time", heading: "Time", title: "Time of the turn's last event", sort: "own_time" },
  {
    name: "c-agent",
    heading: "Agent",
    title: "Agent; also the service, where several wrote the turn",
    sort: "agent_id",
    rising: true,
  },
  {
    name: "c-thread",
    heading: "Thread",
    title: "Thread pseudonym",
    sort: "thread_id",
    rising: true,
  },
  {
    name: "c-verdict",
    heading: "Verdict",
    title: "Verdict on the whole turn; sorted by severity",
    sort: "verdict",
  },
  {
    name: "c-whole",
    heading: "Stages",
    title: "Stages on record, of those that the declared profile requires; sorted by those missing",
    sort: "stages_missing",
  },
  {
    name: "c-memory",
    heading: "Memory",
    title: "Memories retrieved, supplied and referenced",
    sort: "memory_supplied",
  },
  {
    name: "c-cache",
    heading: "Cache",
    title: "Decision of the semantic cache",
    sort: "cache_decision",
    rising: true,
  },
  {
    name: "c-tools",
    heading: "Tools",
    title: "Clean results, results via fallback or with limits, failures",
    sort: "tool_failed",
  },
  {
    name: "c-tokens",
    heading: "Tokens",
    title: "Input and output tokens; below, the share from the provider's cache",
    sort: "total_tokens",
  },
  {
    name: "c-duration",
    heading: "Duration",
    title: "Compared with the agent's turns on this page; the tick is their p95",
    sort: "duration_ms",
  },
  {
    name: "c-findings",
    heading: "Findings",
    title:
      "Findings of the judge by priority, without insights; sorted by the number of each, the first " +
      "priority first",
    sort: "findings",
  },
  {
    name: "c-insights",
    heading: "Insights",
    title: "Trace Insights of the judge by their codes; they never change a verdict",
  },
];

/** The table; when it is `live`, the browser adds turns that arrive later at the top. */
export const TurnTable: FC<{
  readonly label: string;
  readonly rows: readonly Row[];
  readonly base: string;
  readonly live?: true;
  /** Further classes: hidden columns, density. */
  readonly classes?: string;
  /** Makes heads links that sort the list. */
  readonly sorting?: SortContext;
  /** All rows are of one agent, whose name is above: in a wide list its room is the threads'. */
  readonly ofOneAgent?: true;
}> = ({ label, rows, base, live, classes = "", sorting, ofOneAgent }) => {
  const place: RowContext = {
    base,
    scale: rowScale(rows),
    crowded: crowdedRoots(rows),
    ...(ofOneAgent === undefined ? {} : { ofOneAgent }),
  };
  const named = `grid turn-table ${ofOneAgent === undefined ? "" : "one-agent "}${classes}`.trim();
  return (
    <table class={named} role="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, heading, title, sort, rising }) =>
            sorting === undefined || sort === undefined ? (
              <th class={name} scope="col" title={title}>
                {heading}
              </th>
            ) : (
              <SortHead
                field={sort}
                heading={heading}
                at={sorting}
                class={name}
                title={title}
                {...(rising === undefined ? {} : { rising })}
              />
            ),
          )}
        </tr>
      </thead>
      <tbody data-rows={live}>
        {rows.map((row) => (
          <TurnRow row={row} place={place} />
        ))}
      </tbody>
    </table>
  );
};

/** Roots with several rows. */
function crowdedRoots(rows: readonly Row[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const crowded = new Set<string>();
  for (const { root_trace_id: root = "" } of rows) {
    if (seen.has(root)) crowded.add(root);
    seen.add(root);
  }
  return crowded;
}
