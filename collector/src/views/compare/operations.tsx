/**
 * @module Operations: the aligned tree of both sides. A row stands once, at its logical place, with
 * the verb of its change; rows without any can be folded away without a script.
 */
import type { FieldChange, OperationRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { differenceText, pairText, verbOf } from "../../display/compare-words.ts";
import { countText, durationText, wordsOf } from "../../display/figures.ts";
import { kindWords } from "../../display/kind-words.ts";
import type { Frame } from "../../http/respond.tsx";
import { NotThere, Unknown } from "../elements/figure.tsx";
import { Card, Note, Table } from "../elements/panel.tsx";
import { sideHref } from "./heads.tsx";
import type { Compared } from "./heads.tsx";
import { PairBar } from "./timing.tsx";
import { Verb } from "./verb.tsx";

/** Rows that a page holds; the JSON holds all. */
const rowsMax = 2_000;
const indentMax = 12;

/** The tree. */
export const Operations: FC<{ readonly model: Compared; readonly frame: Frame }> = ({
  model,
  frame,
}) => {
  const { operations, counts } = model;
  const kept = keptRows(operations);
  const changes = counts.added + counts.removed + counts.changed;
  const shown = operations.slice(0, rowsMax);
  const scale = shown.reduce(
    (most, { duration_ms: d }) => Math.max(most, d.baseline ?? 0, d.candidate ?? 0),
    0,
  );
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
          <label class="switch">
            <input
              type="checkbox"
              data-only-changes
              checked={changes > 0 && operations.length > 24}
            />
            changes only
          </label>
        </>
      }
    >
      <Table
        label="Operations of A and B"
        head={
          <>
            <th scope="col">Change</th>
            <th scope="col">Operation</th>
            <th scope="col">A → B</th>
            <th scope="col" class="num">
              Duration
            </th>
            <th scope="col" class="pair-col">
              A above B
            </th>
            <th scope="col" class="num">
              Tokens
            </th>
          </>
        }
      >
        {shown.map((row, index) => (
          <Row row={row} kept={kept.has(index)} scale={scale} model={model} frame={frame} />
        ))}
      </Table>
      {operations.length > shown.length ? (
        <Note tone="warn">
          {countText(shown.length)} of {countText(operations.length)} rows are shown; the JSON of
          this page holds all of them.
        </Note>
      ) : null}
    </Card>
  );
};

/** Rows that changed, and what they hang below. */
function keptRows(operations: readonly OperationRow[]): ReadonlySet<number> {
  const kept = new Set<number>();
  operations.forEach((row, index) => {
    if (row.change === "unchanged" && !isBeyond(row)) return;
    for (let at: number | null = index; at !== null && !kept.has(at);) {
      kept.add(at);
      at = operations[at]?.parent_index ?? null;
    }
  });
  return kept;
}

function isBeyond({ duration_ms, tokens }: OperationRow): boolean {
  return duration_ms.beyond_tolerance === true || tokens.beyond_tolerance === true;
}

const Row: FC<{
  readonly row: OperationRow;
  readonly kept: boolean;
  readonly scale: number;
  readonly model: Compared;
  readonly frame: Frame;
}> = ({ row, kept, scale, model, frame }) => {
  const verb = verbOf(row.change, model.trust);
  const side = row.candidate_event_id === null ? "baseline" : "candidate";
  const id = row.candidate_event_id ?? row.baseline_event_id ?? "";
  const href = `${sideHref(frame, model, side)}#e-${encodeURIComponent(id)}`;
  return (
    <tr class={`op ${verb}`} {...(kept ? { "data-kept": "" } : {})}>
      <td>
        <Verb of={verb} />
      </td>
      <td class="op-name">
        <Indent depth={row.depth} />
        <a href={href} data-row title="Open the event on its turn's page">
          {kindWords(row.event_kind)}
          {row.operation === null || row.operation === row.event_kind ? null : (
            <span class="muted"> {row.operation}</span>
          )}
        </a>
        {row.ordinal > 1 ? <span class="muted"> #{row.ordinal}</span> : null}
        {row.ambiguous ? (
          <span class="flag" title="Siblings alike differ in number: this pairing is a guess.">
            ambiguous
          </span>
        ) : null}
      </td>
      <td class="op-changes">
        <Changes changes={row.changes} />
      </td>
      <td class="num" title={pairText(row.duration_ms, "ms")}>
        <Difference row={row} />
      </td>
      <td class="pair-col">
        <PairBar of={row.duration_ms} scale={scale} />
      </td>
      <td class="num" title={pairText(row.tokens, "count")}>
        <TokenDifference row={row} />
      </td>
    </tr>
  );
};

const Indent: FC<{ readonly depth: number }> = ({ depth }) =>
  depth === 0 ? (
    <></>
  ) : (
    <svg
      class="indent"
      width={String(Math.min(depth, indentMax) * 14)}
      height="20"
      role="img"
      aria-label={`level ${depth + 1}`}
      focusable="false"
    >
      {Array.from({ length: Math.min(depth, indentMax) }, (_, level) => (
        <line x1={String(level * 14 + 5.5)} x2={String(level * 14 + 5.5)} y1="0" y2="20" />
      ))}
    </svg>
  );

const Changes: FC<{ readonly changes: readonly FieldChange[] }> = ({ changes }) => (
  <>
    {changes.map(({ field, baseline, candidate }) => (
      <span class="change">
        <span class="muted">{wordsOf(field)}</span> <Said value={baseline} />
        <span aria-hidden="true"> → </span>
        <span class="sr"> became </span>
        <Said value={candidate} />
      </span>
    ))}
  </>
);

const Said: FC<{ readonly value: string | null }> = ({ value }) =>
  value === null ? <Unknown why="This side does not say." /> : <code>{value}</code>;

const Difference: FC<{ readonly row: OperationRow }> = ({ row }) => {
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

const TokenDifference: FC<{ readonly row: OperationRow }> = ({ row }) => {
  if (row.event_kind !== "model_call") return <></>;
  const { tokens, change } = row;
  if (change === "added" || change === "removed") {
    const own = tokens.candidate ?? tokens.baseline;
    return own === null ? <Unknown /> : <span class="muted">{countText(own)}</span>;
  }
  const text = differenceText(tokens, countText);
  if (text === null) return <Unknown why="One side did not say its tokens." />;
  return <span class={tokens.beyond_tolerance === true ? "beyond" : "muted"}>{text}</span>;
};
