/**
 * @module DifferencesTable: values that are more frequent in the turns of a filter than in the
 * others: counts and shares of both sides, the difference with its interval, whether chance alone
 * explains it, and the number without a value.
 */
import { isoTime } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import type { Difference, Differences, Unrecorded } from "../display/differences.ts";
import { chanceText, differenceText, rangeText, rateText } from "../display/share-words.ts";
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

/** Values that are drawn at first: the clearest differences, without a page of elements. */
const drawnMax = 8;

/** The table, with the counted turns in words; all of its values only where `whole`. */
export const DifferencesTable: FC<{
  readonly of: Compared;
  readonly place: ComparedPlace;
  readonly whole: boolean;
}> = ({ of, place, whole }) => {
  const { these, others, values, unrecorded, cut } = of;
  const drawn = whole ? values : values.slice(0, drawnMax);
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
            <tbody>
              {drawn.map((one) => (
                <Line one={one} of={of} place={place} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {drawn.length === values.length ? null : (
        <button class="button small" type="button" data-more-values>
          {countText(values.length - drawn.length)} more values
        </button>
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
