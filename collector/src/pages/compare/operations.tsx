/**
 * @module Operations: the aligned tree of both sides. Each row is once at its logical place, with
 * the verb of its change. The server draws the first rows, which is everything without script; the
 * browser adds all rows, keys and the switch between changes and everything.
 */
import type { FC } from "hono/jsx";

import { compareRows, opensWithChanges } from "../../ui/display/compare-rows.ts";
import type { CompareRows } from "../../ui/display/compare-rows.ts";
import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import { Card } from "../../ui/elements/panel.tsx";
import { TreeTools } from "../../ui/elements/tree-tools.tsx";
import { sideHref } from "./heads.tsx";
import type { ComparedSides } from "./heads.tsx";
import { OperationRow } from "../../ui/elements/operation-row.tsx";

/** Most rows that the server draws; the browser shows no more at once either. */
const serverRowsMax = 60;

/** The tree. */
export const Operations: FC<{ readonly model: ComparedSides; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { operations, counts } = model;
  const list = compareRows(operations);
  const only = opensWithChanges(list);
  const wanted = operations.flatMap((_, index) => (!only || list.kept.has(index) ? [index] : []));
  const shown = wanted.slice(0, serverRowsMax);
  return (
    <Card
      title="Operations"
      id="operations"
      icon="path"
      flush
      end={
        <>
          <span>
            {countText(counts.changed)} changed · {countText(counts.added)} only in B ·{" "}
            {countText(counts.removed)} only in A
          </span>
          <span class="op-tools" data-op-tools hidden>
            <label class="switch" title="Changes only, or every operation (x)">
              <input type="checkbox" data-only-changes checked={only} />
              changes only
            </label>
            <TreeTools />
          </span>
        </>
      }
    >
      <Grid model={model} context={context} list={list} shown={shown} />
      <div class="op-detail" data-op-detail hidden></div>
      {shown.length < operations.length ? (
        <p class="more-line muted" data-op-more>
          The first {countText(shown.length)} of {countText(wanted.length)}{" "}
          {only ? "rows with changes" : "rows"}, {countText(operations.length)} rows in all; the
          browser module shows them, and so does the JSON of this page.
        </p>
      ) : null}
    </Card>
  );
};

const Grid: FC<{
  readonly model: ComparedSides;
  readonly context: PageContext;
  readonly list: CompareRows;
  readonly shown: readonly number[];
}> = ({ model, context, list, shown }) => {
  const place = {
    trust: model.trust,
    scaleMs: list.scaleMs,
    baselineHref: sideHref(context, model, "baseline"),
    candidateHref: sideHref(context, model, "candidate"),
  };
  return (
    <div class="op-scroll" data-op-scroll>
      <div
        class="ops"
        role="treegrid"
        aria-label="Operations of A and B"
        aria-rowcount={String(list.rows.length + 1)}
        aria-colcount={6}
        data-ops
        data-baseline-href={place.baselineHref}
        data-candidate-href={place.candidateHref}
      >
        <Head />
        <div class="op-body" role="rowgroup" data-op-body>
          {shown.map((index, at) => (
            <OperationRow
              row={list.rows[index]!}
              state={{ index, collapsed: false, focused: at === 0, selected: false }}
              place={place}
            />
          ))}
        </div>
      </div>
    </div>
  );
};

const Head: FC = () => (
  <div class="op-head" role="row" aria-rowindex={1}>
    <div class="op-verb" role="columnheader">
      Change
    </div>
    <div class="op-name" role="columnheader">
      Operation
    </div>
    <div class="sr" role="columnheader">
      A → B
    </div>
    <div class="op-ms num" role="columnheader">
      Duration
    </div>
    <div class="op-pair" role="columnheader">
      A above B
    </div>
    <div class="op-tokens num" role="columnheader">
      Tokens
    </div>
  </div>
);
