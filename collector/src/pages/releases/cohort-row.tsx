/** @module CohortRow: one figure of two groups of turns, with intervals, difference and p-value. */
import type { Child, FC } from "hono/jsx";

import type { CohortRow, CohortSide, CohortUnit } from "../../ui/display/cohort-figures.ts";
import { changeText, intervalText, sideText } from "../../ui/display/cohort-texts.ts";
import { countText } from "../../ui/display/figures.ts";
import { chanceText } from "../../ui/display/share-texts.ts";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { NotThere, Unknown } from "../../ui/elements/figure.tsx";

/** The row; in grey where chance alone may explain it. */
export const CohortLine: FC<{
  readonly row: CohortRow;
  /** End of the bars' scale. */
  readonly most: (unit: CohortUnit) => number;
  readonly hrefs: { readonly a: string | undefined; readonly b: string | undefined };
}> = ({ row, most, hrefs }) => {
  const { difference, interval } = changeText(row);
  const grey = row.p !== null && !row.significant;
  return (
    <tr {...(grey ? { class: "muted", "data-chance": true } : {})}>
      <td>{row.name}</td>
      {(["a", "b"] as const).map((side) => (
        <td data-head={side.toUpperCase()} class="num cohort-cell">
          <Side of={row[side]} unit={row.unit} href={hrefs[side]} />
        </td>
      ))}
      <td data-head="A and B" class="bar-col cohort-bars">
        {(["a", "b"] as const).map((side) => (
          <ShareBar part={row[side].value} whole={most(row.unit)} />
        ))}
      </td>
      <td data-head="Difference" class="num cohort-cell">
        {difference === undefined ? (
          <NotThere why="not recorded on one side" />
        ) : (
          <>
            {difference} {interval === undefined ? null : <span class="muted">{interval}</span>}
          </>
        )}
      </td>
      <td data-head="p" class="num cohort-cell">
        {row.p === null ? (
          <NotThere why="too little to test" />
        ) : row.significant ? (
          <b>{chanceText(row.p)}</b>
        ) : (
          chanceText(row.p)
        )}
      </td>
    </tr>
  );
};

function unknownText({ unknown, low, value }: CohortSide, unit: CohortUnit): string {
  const count = countText(unknown);
  if (unit !== "usd") return `${count} without a value`;
  const turns = `${count} ${unknown === 1 ? "turn" : "turns"}`;
  return value === null && low !== null
    ? `${turns} whose cost is not exactly known`
    : `${turns} without a cost that is known`;
}

const Side: FC<{
  readonly of: CohortSide;
  readonly unit: CohortUnit;
  readonly href: string | undefined;
}> = ({ of, unit, href }) => {
  const text = sideText(of, unit);
  const interval = intervalText(of, unit);
  const isBounded = of.value === null && of.low !== null;
  const unknown: Child =
    of.unknown === 0 ? null : (
      <span class="unknown" title={unknownText(of, unit)}>
        {" "}
        {isBounded ? `(${countText(of.unknown)} not exact)` : `+ ${countText(of.unknown)} unknown`}
      </span>
    );
  if (text === undefined) {
    return (
      <>
        <Unknown why="not recorded on this side" />
        {unknown}
      </>
    );
  }
  const counted =
    of.hits === null ? null : (
      <span class="muted">
        {countText(of.hits)} of {countText(of.of)}{" "}
      </span>
    );
  return (
    <>
      {counted}
      {href === undefined || of.hits === 0 ? text : <a href={href}>{text}</a>}{" "}
      {interval === undefined ? null : <span class="muted">{interval}</span>}
      {unknown}
    </>
  );
};
