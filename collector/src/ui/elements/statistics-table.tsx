/**
 * @module StatisticsTable: where the time of a turn was spent. The server draws it by operation;
 * the browser draws it by the chosen grouping, sorted by any column.
 */
import type { Child, FC } from "hono/jsx";

import { countText, durationText } from "../display/figures.ts";
import { kindTexts } from "../display/kind-texts.ts";
import { exactTerm } from "../display/row-find.ts";
import { dimensions } from "../display/turn-statistics.ts";
import type {
  Bound,
  Dimension,
  StatisticsColumn,
  StatisticsLine,
  TimeSum,
} from "../display/turn-statistics.ts";
import { Icon } from "../icons.tsx";
import { NotThere, Unknown } from "./figure.tsx";

/** Most lines that are drawn; each span of a turn may have its own name. */
const linesMax = 100;

/** Sort order of the table. */
export interface Sorting {
  readonly column: StatisticsColumn;
  readonly descending: boolean;
}

const columns: readonly (readonly [column: StatisticsColumn, name: string, title: string])[] = [
  ["count", "Count", "Spans and points in time"],
  ["unknown", "Unknown", "How many of these have no known duration"],
  ["errors", "Errors", "How many ended in error"],
  ["total", "Total", "Sum of the durations"],
  ["self", "Self", "The part of the total in which nothing below was at work"],
  ["mean", "Mean", "Of the known durations"],
  ["p95", "p95", "Nineteen of twenty known durations are at most this long"],
  ["max", "Max", "The longest known duration"],
  ["share", "Of turn", "Part of the turn's time in which at least one of them was at work"],
];

/** The table; without `sortable` its heads are plain text, as without script. */
export const StatisticsTable: FC<{
  readonly lines: readonly StatisticsLine[];
  readonly by: Dimension;
  readonly sorting: Sorting;
  readonly sortable?: boolean;
}> = ({ lines, by, sorting, sortable = false }) => {
  const name = dimensions.find(([key]) => key === by)?.[1] ?? "";
  const head = [["value", name, `By ${name.toLowerCase()}`] as const, ...columns];
  return (
    <>
      <div class="scroll" role="group" aria-label="Statistics of the turn" tabindex={0}>
        <table class="grid statistics" aria-label={`Statistics by ${name.toLowerCase()}`}>
          <thead>
            <tr>
              {head.map(([column, word, title]) => (
                <Head
                  column={column}
                  word={word}
                  title={title}
                  sorting={sorting}
                  sortable={sortable}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, linesMax).map((line) => (
              <Line line={line} by={by} />
            ))}
          </tbody>
        </table>
      </div>
      {lines.length > linesMax ? (
        <p class="muted padded">
          The first {linesMax} of {countText(lines.length)}; sort by another column to see others.
        </p>
      ) : null}
    </>
  );
};

const Head: FC<{
  readonly column: StatisticsColumn;
  readonly word: string;
  readonly title: string;
  readonly sorting: Sorting;
  readonly sortable: boolean;
}> = ({ column, word, title, sorting, sortable }) => {
  const sorted = sorting.column === column;
  const direction = sorting.descending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      class={column === "value" ? undefined : "num"}
      title={title}
      aria-sort={sorted ? direction : undefined}
    >
      {sortable ? (
        <button class="sort" type="button" data-sort={column}>
          {word}
          {sorted ? <Icon name={sorting.descending ? "down" : "up"} /> : null}
        </button>
      ) : (
        word
      )}
    </th>
  );
};

const Line: FC<{ readonly line: StatisticsLine; readonly by: Dimension }> = ({ line, by }) => {
  const term = exactTerm(by, line.value);
  const pointsOnly = line.points === line.count;
  const time = (ms: number | null): Child =>
    ms === null ? <NoTime pointsOnly={pointsOnly} /> : durationText(ms);
  const sum = (of: TimeSum | null): Child =>
    of === null ? <NoTime pointsOnly={pointsOnly} /> : <Sum of={of} />;
  return (
    <tr>
      <th scope="row">
        <a
          href={`#${new URLSearchParams({ find: term }).toString()}`}
          data-statistic={term}
          title="Find these rows in the waterfall"
        >
          {line.value === undefined ? (
            <i>none recorded</i>
          ) : by === "kind" ? (
            kindTexts(line.value)
          ) : (
            line.value
          )}
        </a>
      </th>
      <td class="num">{countText(line.count)}</td>
      <td class="num">
        {line.unknown === 0 ? "0" : <b class="warn">{countText(line.unknown)}</b>}
      </td>
      <td class="num">{line.errors === 0 ? "0" : <b class="bad">{countText(line.errors)}</b>}</td>
      <td class="num">{sum(line.total)}</td>
      <td class="num">{sum(line.self)}</td>
      <td class="num">{time(line.mean)}</td>
      <td class="num">{time(line.p95)}</td>
      <td class="num">{time(line.max)}</td>
      <td class="num">
        {line.share === null ? <NoTime pointsOnly={pointsOnly} /> : shareOfTurn(line)}
      </td>
    </tr>
  );
};

/** A part greater than zero is never shown as zero. */
function shareOfTurn({ share, unknown }: StatisticsLine): string {
  const percent = (share ?? 0) * 100;
  const text = percent > 0 && percent < 1 ? "<1 %" : `${Math.round(percent)} %`;
  return unknown > 0 && !text.startsWith("<") ? `≥ ${text}` : text;
}

const NoTime: FC<{ readonly pointsOnly: boolean }> = ({ pointsOnly }) =>
  pointsOnly ? (
    <NotThere why="Points in time have no duration." />
  ) : (
    <Unknown why="None of their durations is known." />
  );

const boundSigns: { readonly [K in Bound]: readonly [sign: string, why: string] } = {
  exact: ["", ""],
  at_least: ["≥ ", "At least: some durations are unknown."],
  at_most: ["≤ ", "At most: what is below has unknown times or another clock."],
  about: ["~ ", "Approximate: some durations are unknown, and times below them too."],
};

const Sum: FC<{ readonly of: TimeSum }> = ({ of: { ms, bound } }) => {
  const [sign, why] = boundSigns[bound];
  return bound === "exact" ? (
    <>{durationText(ms)}</>
  ) : (
    <span title={why}>
      <span aria-hidden="true">{sign}</span>
      {durationText(ms)}
      <span class="sr">{why}</span>
    </span>
  );
};
