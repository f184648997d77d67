/**
 * @module DifferencesTable: values that are more frequent in the turns of a filter than in the
 * others: counts and shares of both sides, the difference with its interval, whether chance alone
 * explains it, and the number without a value.
 */
import { isoTime } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import type {
  Difference,
  DifferenceKind,
  Differences,
  Unrecorded,
} from "../display/differences.ts";
import { chanceText, differenceText, rangeText, rateText } from "../display/share-texts.ts";
import { countText } from "../display/figures.ts";
import { queryOf } from "../display/filter-terms.ts";
import type { Term } from "../display/filter-terms.ts";
import { ShareBar } from "./bar.tsx";
import { Time } from "./figure.tsx";

/** Fields of the answer. */
export interface Compared extends Differences {
  readonly pending_frames: number;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

/** Address of the page. */
export interface ComparedPlace {
  readonly path: string;
  readonly terms: readonly Term[];
  readonly query: URLSearchParams;
}

/** Values that are drawn at first, of each kind: the clearest differences. */
const drawnMax: Readonly<Record<DifferenceKind, number>> = { origin: 5, result: 3 };
const kinds: readonly (readonly [DifferenceKind, string])[] = [
  ["origin", "What these turns are"],
  ["result", "How they ended"],
];

/** The table, with the counted turns in words; all of its values only where `whole`. */
export const DifferencesTable: FC<{
  readonly of: Compared;
  readonly place: ComparedPlace;
  readonly whole: boolean;
}> = ({ of, place, whole }) => {
  const { these, others, values, unrecorded, cut } = of;
  const groups = kinds.map(([kind, words]) => {
    const all = values.filter((one) => one.kind === kind);
    return { kind, words, drawn: whole ? all : all.slice(0, drawnMax[kind]) };
  });
  const left = values.length - groups.reduce((sum, { drawn }) => sum + drawn.length, 0);
  return (
    <>
      <p class="padded muted" data-differences-extent>
        {extentText(of)}
        <Span of={of} />
      </p>
      {these === 0 || others === 0 ? (
        <p class="padded">
          {these === 0 ? "No turn passes the filter" : "Every turn of their time passes the filter"}
          : there is nothing to compare.
        </p>
      ) : values.length === 0 ? (
        <p class="padded">No value is more frequent in these turns than in the others.</p>
      ) : (
        <Groups groups={groups} of={of} place={place} />
      )}
      {left === 0 ? null : (
        <p class="padded">
          <button class="button small" type="button" data-more-values>
            {countText(left)} more values
          </button>
        </p>
      )}
      <UnrecordedLine unrecorded={unrecorded} />
      {cut.length === 0 ? (
        <></>
      ) : (
        <p class="padded muted">
          Of {cut.join(", ")} only the most frequent values were compared: there are more.
        </p>
      )}
    </>
  );
};

/** Values of one kind that are drawn. */
interface DrawnGroup {
  readonly kind: DifferenceKind;
  readonly words: string;
  readonly drawn: readonly Difference[];
}

const Groups: FC<{
  readonly groups: readonly DrawnGroup[];
  readonly of: Compared;
  readonly place: ComparedPlace;
}> = ({ groups, of, place }) => (
  <div class="scroll" role="group" aria-label="Differences" tabindex={0}>
    <table class="grid" aria-label="Values that are more frequent in these turns">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Value</th>
          <th scope="col" class="num">
            These turns
          </th>
          <th scope="col" class="num">
            The others
          </th>
          <th scope="col">Shares</th>
          <th scope="col" class="num" title="Percentage points, with the 95 % interval">
            Difference
          </th>
          <th scope="col" class="num" title="Chance of such a difference if there is none">
            p
          </th>
        </tr>
      </thead>
      {groups.map(({ kind, words, drawn }) =>
        drawn.length === 0 ? (
          <></>
        ) : (
          <tbody data-kind={kind}>
            <tr>
              <th scope="rowgroup" colspan={7}>
                {words}
              </th>
            </tr>
            {drawn.map((one) => (
              <Line one={one} of={of} place={place} />
            ))}
          </tbody>
        ),
      )}
    </table>
  </div>
);

/** The turns of either side in words, never more than were counted. */
function extentText({ these, others, pending_frames: pending }: Compared): string {
  const all = pending > 0 ? "" : "all ";
  const later = pending > 0 ? " More has arrived and is not readable yet." : "";
  return (
    `These: ${all}${countText(these)} turns of the filter. ` +
    `The others: ${all}${countText(others)} turns of the same time that it leaves out.${later}`
  );
}

/** The compared time, and how values were tested. */
const Span: FC<{ readonly of: Compared }> = ({ of: { first_ms: first, last_ms: last, tested } }) =>
  first === null || last === null ? (
    <></>
  ) : (
    <>
      {" "}
      From <Time at={isoTime(first)} form="daytime" /> to <Time at={isoTime(last)} form="daytime" />
      . Fisher's exact test, one-sided, with Holm's correction for the {countText(tested)} compared
      values; in grey: chance alone may explain it. A difference is no cause.
    </>
  );

const Line: FC<{
  readonly one: Difference;
  readonly of: Compared;
  readonly place: ComparedPlace;
}> = ({ one, of, place: { path, terms, query } }) => {
  const term = { key: one.key, value: one.value, negated: false };
  const share = (part: number, whole: number): string =>
    `${countText(part)} of ${countText(whole)} · ${rateText(part, whole)}`;
  return (
    <tr {...(one.significant ? {} : { class: "muted", "data-chance": true })}>
      <td class="muted">{one.name}</td>
      <td>
        <a href={`${path}${queryOf([...terms, term], query)}`} title="Filter by it as well">
          {one.value}
        </a>
      </td>
      <td class="num">{share(one.these, of.these)}</td>
      <td class="num">{share(one.others, of.others)}</td>
      <td class="shares">
        <ShareBar part={one.these} whole={of.these} label="share of these turns" />
        <ShareBar part={one.others} whole={of.others} label="share of the others" />
      </td>
      <td class="num">
        {differenceText(one.difference)} <span class="muted">{rangeText(one)}</span>
      </td>
      <td class="num">{one.significant ? <b>{chanceText(one.p)}</b> : chanceText(one.p)}</td>
    </tr>
  );
};

const UnrecordedLine: FC<{ readonly unrecorded: readonly Unrecorded[] }> = ({ unrecorded }) =>
  unrecorded.length === 0 ? (
    <></>
  ) : (
    <p class="padded muted">
      Turns without a value, these and the others:{" "}
      {unrecorded
        .map(({ name, these, others }) => `${name} ${countText(these)} and ${countText(others)}`)
        .join(", ")}
      .
    </p>
  );
