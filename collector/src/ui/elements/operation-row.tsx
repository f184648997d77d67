/**
 * @module OperationRow: one operation of both sides as a row of the tree grid, drawn by the server
 * for the first rows and by the browser for the visible ones.
 */
import type { CompareTrust, FieldChange, OperationRow as Operation } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import type { CompareRow } from "../display/compare-rows.ts";
import {
  differenceText,
  operationName,
  operationSummary,
  pairText,
  verbOf,
} from "../display/compare-texts.ts";
import { countText, durationText, wordsOf } from "../display/figures.ts";
import { kindTexts } from "../display/kind-texts.ts";
import { NotThere, Unknown } from "./figure.tsx";
import { LevelIndent, LevelNumeral } from "./level.tsx";
import { Twist, treeRowAttributes } from "./tree-row.tsx";
import type { TreeRowState } from "./tree-row.tsx";
import { PairBar } from "./pair-bar.tsx";
import { ChangeBadge } from "./change-badge.tsx";

/** Data that all rows of a comparison share. */
export interface CompareContext {
  readonly trust: CompareTrust;
  readonly scaleMs: number;
  /** Addresses of the turn's page of either side. */
  readonly baselineHref: string;
  readonly candidateHref: string;
}

/** Link to a row's event: on its candidate's page, or on the baseline's. */
export function eventHref(operation: Operation, place: CompareContext): string {
  const { candidate_event_id: candidate, baseline_event_id: baseline } = operation;
  const page = candidate === null ? place.baselineHref : place.candidateHref;
  return `${page}#e-${encodeURIComponent(candidate ?? baseline ?? "")}`;
}

/** One row of the tree grid. */
export const OperationRow: FC<{
  readonly row: CompareRow;
  readonly state: TreeRowState;
  readonly place: CompareContext;
}> = ({ row, state, place }) => {
  const { operation } = row;
  const verb = verbOf(operation.change, place.trust);
  return (
    <div
      class={operation.changes.length > 0 ? `op with-changes ${verb}` : `op ${verb}`}
      {...treeRowAttributes(row, state)}
      aria-label={operationSummary(row, verb, state.collapsed)}
    >
      <div class="op-verb" role="gridcell">
        <ChangeBadge of={verb} />
      </div>
      <div class="op-name" role="rowheader">
        <LevelIndent level={row.level} />
        <Twist row={row} collapsed={state.collapsed} />
        <LevelNumeral level={row.level} />
        <Name row={row} state={state} href={eventHref(operation, place)} />
      </div>
      <div class="op-changes" role="gridcell" title={changesText(operation.changes)}>
        <Changes changes={operation.changes} />
      </div>
      <div class="op-ms num" role="gridcell" title={pairText(operation.duration_ms, "ms")}>
        <Difference row={operation} />
      </div>
      <div class="op-pair" role="gridcell">
        <PairBar of={operation.duration_ms} scale={place.scaleMs} words={durationText} />
      </div>
      <div class="op-tokens num" role="gridcell" title={pairText(operation.tokens, "count")}>
        <TokenDifference row={operation} />
      </div>
    </div>
  );
};

const Name: FC<{
  readonly row: CompareRow;
  readonly state: TreeRowState;
  readonly href: string;
}> = ({ row: { operation, descendants }, state, href }) => {
  const name = operationName(operation);
  return (
    <>
      <a class="what" href={href} tabindex={-1} title="Open the event on its turn's page">
        {kindTexts(operation.event_kind)}
        {name === null ? null : <span class="muted"> {name}</span>}
      </a>
      {operation.ordinal > 1 ? <span class="muted">#{operation.ordinal}</span> : null}
      {operation.ambiguous ? (
        <span
          class="flag"
          title="One side repeats this operation more often, so the pair may match the wrong calls."
        >
          ambiguous
        </span>
      ) : null}
      {state.collapsed && descendants > 0 ? <span class="held">+{descendants}</span> : null}
    </>
  );
};

/** What changed, in one line of text. */
export function changesText(changes: readonly FieldChange[]): string {
  return changes
    .map(({ field, baseline, candidate }) => {
      return `${wordsOf(field)} ${baseline ?? "unknown"} → ${candidate ?? "unknown"}`;
    })
    .join("; ");
}

const Changes: FC<{ readonly changes: readonly FieldChange[] }> = ({ changes }) => (
  <>
    {changes.map(({ field, baseline, candidate }) => (
      <span class="change">
        <span class="muted">{wordsOf(field)}</span> <Stated value={baseline} />
        <span aria-hidden="true"> → </span>
        <span class="sr"> became </span>
        <Stated value={candidate} />
      </span>
    ))}
  </>
);

const Stated: FC<{ readonly value: string | null }> = ({ value }) =>
  value === null ? <Unknown why="Not recorded on this side." /> : <code>{value}</code>;

const Difference: FC<{ readonly row: Operation }> = ({ row }) => {
  const { duration_ms: delta, change } = row;
  if (change === "added" || change === "removed") {
    const own = delta.candidate ?? delta.baseline;
    if (own === null)
      return <NotThere why="a point in time, or a duration that was not recorded" />;
    return <span class="muted">{durationText(own)}</span>;
  }
  const isPoint = delta.baseline === 0 && delta.candidate === 0;
  const text = isPoint ? null : differenceText(delta, durationText);
  if (text === null) return <NotThere why="a point in time, or a duration that was not recorded" />;
  return <span class={delta.beyond_tolerance === true ? "beyond" : "muted"}>{text}</span>;
};

const TokenDifference: FC<{ readonly row: Operation }> = ({ row }) => {
  if (row.event_kind !== "model_call") return <></>;
  const { tokens, change } = row;
  if (change === "added" || change === "removed") {
    const own = tokens.candidate ?? tokens.baseline;
    return own === null ? <Unknown /> : <span class="muted">{countText(own)}</span>;
  }
  const text = differenceText(tokens, countText);
  if (text === null) return <Unknown why="One side has no tokens recorded." />;
  return <span class={tokens.beyond_tolerance === true ? "beyond" : "muted"}>{text}</span>;
};
