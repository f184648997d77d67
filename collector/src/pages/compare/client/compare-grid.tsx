/**
 * @module CompareGrid: the tree grid of a comparison, with changes alone or every operation, and
 * the selected row in detail below it.
 */
import type { CompareTrust, OperationRow as Operation } from "@turnproof/evidence";

import { fromColumns } from "../../../ui/display/columns.ts";
import type { Columns } from "../../../ui/display/columns.ts";
import { compareRows } from "../../../ui/display/compare-rows.ts";
import type { CompareRow, CompareRows } from "../../../ui/display/compare-rows.ts";
import { operationName } from "../../../ui/display/compare-texts.ts";
import { kindTexts } from "../../../ui/display/kind-texts.ts";
import { nextOf } from "../../../ui/display/tree-rows.ts";
import { OperationRow, changesText, eventHref } from "../../../ui/elements/operation-row.tsx";
import type { CompareContext } from "../../../ui/elements/operation-row.tsx";
import { RowPath } from "../../../ui/elements/row-path.tsx";
import { drawn, find } from "../../../ui/client/page.ts";
import { TreeGrid } from "../../../ui/client/tree-grid.ts";
import type { TreeState } from "../../../ui/client/tree-grid.ts";

/** Fields of the twin that the grid uses, as columns. */
export interface CompareColumns {
  readonly operations: Columns;
  readonly trust: CompareTrust;
}

/** The tree grid over operations, possibly thousands. */
export class CompareGrid extends TreeGrid<CompareRow> {
  readonly #list: CompareRows;
  readonly #place: CompareContext;

  /** `onKeepAll`: every operation is shown from now on. */
  constructor({ operations, trust }: CompareColumns, onKeepAll: () => void) {
    const list = compareRows(fromColumns<Operation>(operations));
    const grid = find("[data-ops]") as HTMLElement;
    const places = {
      scroll: find("[data-op-scroll]") as HTMLElement,
      grid,
      body: find("[data-op-body]") as HTMLElement,
    };
    super(list.rows, places, { onSelect: (row) => this.#showDetail(row), onKeepAll });
    this.#list = list;
    this.#place = {
      trust,
      scaleMs: list.scaleMs,
      baselineHref: grid.dataset["baselineHref"] ?? "",
      candidateHref: grid.dataset["candidateHref"] ?? "",
    };
    this.start();
    find("[data-op-detail]")?.addEventListener("click", (event) => {
      const step = (event.target as Element).closest<HTMLElement>("[data-step]");
      if (step !== null) this.focus(Number(step.dataset["step"]));
    });
  }

  /** Rows with a change of their own. */
  get changes(): number {
    return this.#list.changed.length;
  }

  /** Shows changes and their ancestors, or every operation. */
  showOnlyChanges(only: boolean): void {
    this.keep(only ? this.#list.kept : undefined);
  }

  /** Goes to the next or the previous change, cyclically; false where there is none. */
  stepChange(by: 1 | -1): boolean {
    const next = nextOf(this.#list.changed, this.selected, by);
    if (next !== undefined) this.focus(next);
    return next !== undefined;
  }

  /** Address of the focused row's event. */
  get href(): string | undefined {
    const row = this.rows[this.focused];
    return row === undefined ? undefined : eventHref(row.operation, this.#place);
  }

  protected override linesOf({ operation }: CompareRow): number {
    return operation.changes.length;
  }

  protected override drawRow(row: CompareRow, state: TreeState): HTMLElement {
    return drawn(<OperationRow row={row} state={state} place={this.#place} />) as HTMLElement;
  }

  #showDetail({ level, operation }: CompareRow): void {
    const detail = find("[data-op-detail]");
    if (detail === undefined) return;
    const steps = this.above(this.selected).map((index) => {
      const above = (this.rows[index] as CompareRow).operation;
      return { index, name: operationName(above) ?? kindTexts(above.event_kind) };
    });
    detail.hidden = false;
    detail.replaceChildren(
      drawn(
        <>
          <nav class="row-path" aria-label="Above the selected row">
            <RowPath steps={steps} level={level} />
          </nav>
          {operation.changes.length === 0 ? null : (
            <p class="more-line">{changesText(operation.changes)}</p>
          )}
        </>,
      ),
    );
  }
}
