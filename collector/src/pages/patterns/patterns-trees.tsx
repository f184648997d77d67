/**
 * @module PatternsTrees: the part of the patterns page about trees and long lists: operations of a
 * comparison with each verb, the path above a deep row, the level tools, and a collapsed list.
 */
import type { CompareTrust, Delta, OperationRow as Operation } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { compareRows } from "../../ui/display/compare-rows.ts";
import { OperationRow } from "../../ui/elements/operation-row.tsx";
import { More } from "../../ui/elements/more.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import { RowPath } from "../../ui/elements/row-path.tsx";
import { TreeTools } from "../../ui/elements/tree-tools.tsx";

const none: Delta = {
  baseline: null,
  candidate: null,
  difference: null,
  beyond_tolerance: null,
};

const row = (name: string, more: Partial<Operation>): Operation => ({
  change: "unchanged",
  event_kind: "tool_call",
  operation: name,
  ordinal: 1,
  depth: 1,
  parent_index: 0,
  changed_fields: [],
  changes: [],
  baseline_event_id: `${name}-a`,
  candidate_event_id: `${name}-b`,
  duration_ms: none,
  tokens: none,
  ambiguous: false,
  ...more,
});

const slower: Delta = {
  baseline: 1_200,
  candidate: 1_900,
  difference: 700,
  beyond_tolerance: true,
};

const operations: readonly Operation[] = [
  row("answer", { event_kind: "turn", depth: 0, parent_index: null, duration_ms: slower }),
  row("search", {
    change: "changed",
    changed_fields: ["status"],
    changes: [{ field: "status", baseline: "success", candidate: "error" }],
    duration_ms: slower,
  }),
  row("rank", { change: "added", baseline_event_id: null }),
  row("fetch", { change: "removed", candidate_event_id: null, ambiguous: true }),
  row("chat", { event_kind: "model_call", ordinal: 2 }),
];

const trust: CompareTrust = {
  matched_percent: 60,
  ambiguous_percent: 20,
  baseline: { complete: true, read_completeness: "complete", reasons: [] },
  candidate: { complete: false, read_completeness: "partial", reasons: ["truncated"] },
  truncated: true,
};

const steps = Array.from({ length: 1_204 }, (_, index) => ({ index, name: `delegate ${index}` }));

/** The cards. */
export const TreePatterns: FC = () => {
  const { rows, scaleMs } = compareRows(operations);
  const place = { trust, scaleMs, baselineHref: "#", candidateHref: "#" };
  return (
    <>
      <Card title="Operations compared" id="p-operations" flush>
        <div class="op-scroll">
          <div class="ops" role="treegrid" aria-label="A comparison in every state">
            <div class="op-body" role="rowgroup">
              {rows.map((one, index) => {
                const state = { index: 100 + index, collapsed: false, focused: index === 0 };
                return (
                  <OperationRow
                    row={one}
                    state={{ ...state, selected: index === 1 }}
                    place={place}
                  />
                );
              })}
            </div>
          </div>
        </div>
      </Card>
      <Card title="Levels and long lists" id="p-levels" end={<TreeTools />}>
        <nav class="row-path" aria-label="Above a deep row">
          <RowPath steps={steps} level={1_205} />
        </nav>
        <More
          first={2}
          most={4}
          lines={["one", "two", "three", "four", "five"].map((word) => (
            <p>{word}</p>
          ))}
        />
      </Card>
    </>
  );
};
