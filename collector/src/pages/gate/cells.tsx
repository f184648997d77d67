/** @module Cells: the turns behind a cell of the gate, each a link. */
import type { NullableIdentity } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";
import { hrefOf } from "../../ui/layout.tsx";
import type { GateTurn, GateValue } from "./answer.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

const results = ["violated", "not_established", "holds"] as const;
/** Turns that a cell names; the others are in the JSON. */
const shownMax = 12;

/** The compared turns of a side by their result, and those that are left out. */
export const Cell: FC<{ readonly turns: readonly GateTurn[]; readonly context: PageContext }> = ({
  turns,
  context,
}) => {
  const compared = turns.filter((turn) => turn.compared);
  const leftOut = turns.filter((turn) => !turn.compared);
  return (
    <>
      {results.map((result) => {
        const own = compared.filter((turn) => turn.result === result);
        const summary = countedResult(own.length, result);
        return <Turns of={own} summary={summary} open={result === "violated"} context={context} />;
      })}
      <Turns
        of={leftOut.map((one) => ({ ...one, words: wordsOf(one.result) }))}
        summary={leftOutTexts(leftOut)}
        context={context}
      />
    </>
  );
};

/** A turn of a cell, and what is written beside it. */
interface NamedTurn extends NullableIdentity<"root_trace_id" | "turn_id"> {
  readonly words?: string;
}

/** The turns of a cell; nothing where there are none. */
const Turns: FC<{
  readonly of: readonly NamedTurn[];
  readonly summary: string;
  readonly open?: boolean;
  readonly context: PageContext;
}> = ({ of, summary, open = false, context }) =>
  of.length === 0 ? null : (
    <details class="gate-cell" open={open}>
      <summary>{summary}</summary>
      <ul class="gate-turns">
        {of.slice(0, shownMax).map(({ root_trace_id: root, turn_id: turn, words }) => (
          <li>
            <a href={hrefOf(context, turnPath(root, turn))}>
              <code>{(turn ?? root ?? "").slice(0, 16)}</code>
            </a>
            {words === undefined ? null : <span class="muted"> {words}</span>}
          </li>
        ))}
      </ul>
      <More of={of.length} context={context} />
    </details>
  );

function leftOutTexts({ length }: readonly unknown[]): string {
  return `${countText(length)} left out`;
}

/** How many turns a cell does not name, and where they are. */
const More: FC<{ readonly of: number; readonly context: PageContext }> = ({ of, context }) =>
  of > shownMax ? (
    <p class="muted">
      and {countText(of - shownMax)} more{" "}
      {context.jsonHref === undefined ? "in the JSON" : <a href={context.jsonHref}>in the JSON</a>}
    </p>
  ) : null;

function countedResult(turns: number, result: GateTurn["result"]): string {
  if (result === "holds") return turns === 1 ? "1 holds" : `${countText(turns)} hold`;
  return `${countText(turns)} ${wordsOf(result)}`;
}

function turnPath(root: string | null, turn: string | null): string {
  const query = turn === null ? "" : `?${new URLSearchParams({ turn_id: turn }).toString()}`;
  return `${pageAddress("traces", root ?? "")}${query}`;
}

/** The turns behind a median, those of the largest values first, and those that are left out. */
export const Values: FC<{ readonly of: readonly GateValue[]; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const compared = of.filter((one) => one.compared);
  const leftOut = of.filter((one) => !one.compared);
  return (
    <>
      <Turns of={compared.map(withWords)} summary={countedValues(compared)} context={context} />
      <Turns of={leftOut.map(withWords)} summary={leftOutTexts(leftOut)} context={context} />
    </>
  );
};

/** Turns with a value, and those without one, as beside the median. */
function countedValues(of: readonly GateValue[]): string {
  const known = of.filter(({ low }) => low !== null).length;
  const open = of.length === known ? "" : `, ${countText(of.length - known)} unknown`;
  return `${known === 1 ? "1 turn" : `${countText(known)} turns`}${open}`;
}

function withWords(one: GateValue): NamedTurn {
  return { ...one, words: valueTexts(one) };
}

function valueTexts({ low, high }: GateValue): string {
  if (low === null || high === null) return "unknown";
  const text = (value: number): string => Number(value.toPrecision(4)).toString();
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}
