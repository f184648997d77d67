/** @module Cells: the turns behind a cell of the gate, each a link. */
import type { FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";
import { hrefOf } from "../../ui/layout.tsx";
import type { GateTurn, GateValue } from "./route.ts";

const results = ["violated", "not_established", "holds"] as const;
/** Turns that a cell names; the others are in the JSON. */
const shownMax = 12;

/** The turns of a side by their result. */
export const Cell: FC<{ readonly turns: readonly GateTurn[]; readonly frame: Frame }> = ({
  turns,
  frame,
}) => (
  <>
    {results.map((result) => {
      const own = turns.filter((turn) => turn.result === result);
      return own.length === 0 ? null : (
        <details class="gate-cell" open={result === "violated"}>
          <summary>{countedResult(own.length, result)}</summary>
          <ul class="gate-turns">
            {own.slice(0, shownMax).map(({ root_trace_id: root, turn_id: turn }) => (
              <li>
                <a href={hrefOf(frame, turnPath(root, turn))}>
                  <code>{(turn ?? root ?? "").slice(0, 16)}</code>
                </a>
              </li>
            ))}
          </ul>
          <More of={own.length} frame={frame} />
        </details>
      );
    })}
  </>
);

/** How many turns a cell does not name, and where they are. */
const More: FC<{ readonly of: number; readonly frame: Frame }> = ({ of, frame }) =>
  of > shownMax ? (
    <p class="muted">
      and {countText(of - shownMax)} more{" "}
      {frame.jsonHref === undefined ? "in the JSON" : <a href={frame.jsonHref}>in the JSON</a>}
    </p>
  ) : null;

function countedResult(turns: number, result: GateTurn["result"]): string {
  if (result === "holds") return turns === 1 ? "1 holds" : `${countText(turns)} hold`;
  return `${countText(turns)} ${wordsOf(result)}`;
}

function turnPath(root: string | null, turn: string | null): string {
  const query = turn === null ? "" : `?${new URLSearchParams({ turn_id: turn }).toString()}`;
  return `/traces/${encodeURIComponent(root ?? "")}${query}`;
}

/** The turns behind a median, those of the largest values first. */
export const Values: FC<{ readonly of: readonly GateValue[]; readonly frame: Frame }> = ({
  of,
  frame,
}) => (
  <details class="gate-cell">
    <summary>{countedValues(of)}</summary>
    <ul class="gate-turns">
      {of.slice(0, shownMax).map(({ low, high, root_trace_id: root, turn_id: turn }) => (
        <li>
          <a href={hrefOf(frame, turnPath(root, turn))}>
            <code>{(turn ?? root ?? "").slice(0, 16)}</code>
          </a>{" "}
          <span class="muted">{valueWords(low, high)}</span>
        </li>
      ))}
    </ul>
    <More of={of.length} frame={frame} />
  </details>
);

/** Turns with a value, and those without one, as beside the median. */
function countedValues(of: readonly GateValue[]): string {
  const known = of.filter(({ low }) => low !== null).length;
  const open = of.length === known ? "" : `, ${countText(of.length - known)} unknown`;
  return `${known === 1 ? "1 turn" : `${countText(known)} turns`}${open}`;
}

function valueWords(low: number | null, high: number | null): string {
  if (low === null || high === null) return "unknown";
  const text = (value: number): string => Number(value.toPrecision(4)).toString();
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}
