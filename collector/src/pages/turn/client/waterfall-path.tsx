/** @module WaterfallPath: the line of ancestors of the selected row; a step leads to its row. */
import { nodeTexts } from "../../../ui/display/row-summary.ts";
import type { WaterfallRow } from "../../../ui/display/waterfall-rows.ts";
import { RowPath } from "../../../ui/elements/row-path.tsx";
import { drawn, find } from "../../../ui/client/page.ts";
import type { WaterfallGrid } from "./waterfall-grid.tsx";

/** Connects the steps of the line with their rows. */
export function startPath(grid: WaterfallGrid): void {
  const line = find("[data-wf-path]");
  if (line === undefined) return;
  line.hidden = false;
  line.addEventListener("click", (event) => {
    const step = (event.target as Element).closest<HTMLElement>("[data-step]");
    if (step !== null) grid.focus(Number(step.dataset["step"]));
  });
}

/** Shows the ancestors of the selected row. */
export function showPath(grid: WaterfallGrid): void {
  const row = grid.rows[grid.selected];
  const line = find("[data-wf-path]");
  if (row === undefined || line === undefined) return;
  const steps = grid.above(grid.selected).map((index) => {
    return { index, name: nameOf(grid.rows[index] as WaterfallRow) };
  });
  line.replaceChildren(drawn(<RowPath steps={steps} level={row.level} />));
}

function nameOf({ node, kind, identity }: WaterfallRow): string {
  if (node !== undefined) return nodeTexts(node).name;
  return kind === "missing" ? "missing parent" : (identity?.agent_id ?? "structure");
}
