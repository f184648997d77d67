/** @module Row facets: the facets of some rows of turns, counted one by one. */
import type { TurnRow } from "@turnproof/evidence";

import { facetNames } from "../../../collector/src/ui/display/turn-figures.ts";
import type { Facet } from "../../../collector/src/ui/display/turn-figures.ts";

/** The values of a turn, by key. Only the ledger has the results and the environments of a turn. */
const valuesOf: { readonly [key: string]: ((row: TurnRow) => readonly string[]) | undefined } = {
  verdict: (row) => [row.verdict ?? "unjudged"],
  status: (row) => [row.status],
  agent: (row) => (row.agent_id === undefined ? [] : [row.agent_id]),
  app: (row) => (row.application_id === undefined ? [] : [row.application_id]),
  user: (row) => [row.user_id === undefined ? "unattributed" : (row.user_id ?? "anonymous")],
  tool: (row) => row.tool_names,
  model: (row) => row.models,
  cache: (row) => (row.cache_decision === null ? [] : [row.cache_decision]),
  finding: (row) => row.finding_codes ?? [],
  insight: (row) => row.insight_codes ?? [],
  release: (row) => row.releases,
  producer: (row) => row.producers,
  dialect: (row) => row.dialects,
};

/** Facets of the rows, with that many values each; a facet without a value is left out. */
export function facetsOf(rows: readonly TurnRow[], shownMax: number): Facet[] {
  return facetNames.flatMap(([key, name]) => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      for (const value of new Set(valuesOf[key]?.(row) ?? [])) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    if (counts.size === 0) return [];
    const sorted = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const values = sorted.slice(0, shownMax).map(([value, count]) => ({ value, count }));
    return [{ key, name, values, total: counts.size }];
  });
}
