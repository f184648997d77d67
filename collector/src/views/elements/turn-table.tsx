/** @module TurnTable: a list of turns as the server draws it, every row one turn. */
import type { TurnRow as Row } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { rowScale } from "../../display/turn-figures.ts";
import { TurnRow } from "./turn-row.tsx";
import type { RowPlace } from "./turn-row.tsx";

/** Columns of the list: class, heading, and what the heading means. */
const columns: readonly (readonly [name: string, heading: string, title: string])[] = [
  ["c-time", "Time", "Time of the turn's last event"],
  ["c-agent", "Agent", "Agent; where several services wrote the turn, which"],
  ["c-thread", "Thread", "Thread pseudonym"],
  ["c-verdict", "Verdict", "What the judge says of the whole turn"],
  ["c-whole", "Stages", "Stages on record, of those that the declared profile requires"],
  ["c-memory", "Memory", "Memories retrieved, supplied and referenced"],
  ["c-cache", "Cache", "Decision of the semantic cache"],
  ["c-tools", "Tools", "Clean results, results via fallback or with limits, failures"],
  ["c-tokens", "Tokens", "Input and output tokens; below, the share from the provider's cache"],
  ["c-duration", "Duration", "Against the agent's own turns on this page: the tick is their p95"],
  ["c-findings", "Findings", "Findings of the judge by priority"],
];

/** The table; where it is `live`, the browser puts turns that arrive later on top. */
export const TurnTable: FC<{
  readonly label: string;
  readonly rows: readonly Row[];
  readonly base: string;
  readonly live?: true;
}> = ({ label, rows, base, live }) => {
  const place: RowPlace = { base, scale: rowScale(rows), crowded: crowdedRoots(rows) };
  return (
    <table class="grid turn-table" role="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(([name, heading, title]) => (
            <th class={name} scope="col" title={title}>
              {heading}
            </th>
          ))}
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

/** Roots that stand in several rows. */
function crowdedRoots(rows: readonly Row[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const crowded = new Set<string>();
  for (const { root_trace_id: root = "" } of rows) {
    if (seen.has(root)) crowded.add(root);
    seen.add(root);
  }
  return crowded;
}
