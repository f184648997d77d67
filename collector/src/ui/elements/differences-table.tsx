/**
 * @module DifferencesTable: values that are more frequent in the turns of a filter than in the
 * others: counts and shares of both sides, and the number without a value.
 */
import type { FC } from "hono/jsx";

import type { Difference, Differences, Unsaid } from "../display/differences.ts";
import { countText, shareText } from "../display/figures.ts";
import { queryOf } from "../display/filter-terms.ts";
import type { Term } from "../display/filter-terms.ts";
import { ShareBar } from "./bar.tsx";

/** Fields of the answer. */
export interface Compared extends Differences {
  readonly pending_frames: number;
}

/** Address of the page. */
export interface ComparedPlace {
  readonly path: string;
  readonly terms: readonly Term[];
  readonly query: URLSearchParams;
}

/** The table, with the counted turns in words. */
export const DifferencesTable: FC<{ readonly of: Compared; readonly place: ComparedPlace }> = ({
  of,
  place,
}) => {
  const { these, others, values, unsaid, cut } = of;
  // The filter's own values are in all of these turns, so they are left out.
  const asked = new Set(
    place.terms.filter(({ negated }) => !negated).map(({ key, value }) => `${key}:${value}`),
  );
  const told = values.filter(({ key, value }) => !asked.has(`${key}:${value}`));
  return (
    <>
      <p class="padded muted" data-differences-extent>
        {extentText(of)}
      </p>
      {these === 0 || others === 0 ? (
        <p class="padded">
          {these === 0 ? "No turn passes the filter" : "Every turn of this time passes the filter"}:
          there is nothing to compare.
        </p>
      ) : told.length === 0 ? (
        <p class="padded">Nothing is said more often by these turns than by the others.</p>
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
              </tr>
            </thead>
            <tbody>
              {told.map((one) => (
                <Line one={one} of={of} place={place} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <UnsaidLine unsaid={unsaid} />
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
    `The others: ${all}${countText(others)} of the same time that it leaves out. ` +
    `Counts only: a difference is no cause.${later}`
  );
}

const Line: FC<{
  readonly one: Difference;
  readonly of: Compared;
  readonly place: ComparedPlace;
}> = ({ one, of, place: { path, terms, query } }) => {
  const term = { key: one.key, value: one.value, negated: false };
  const share = (part: number, whole: number): string =>
    `${countText(part)} of ${countText(whole)} · ${shareText(part, whole)}`;
  return (
    <tr>
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
    </tr>
  );
};

const UnsaidLine: FC<{ readonly unsaid: readonly Unsaid[] }> = ({ unsaid }) =>
  unsaid.length === 0 ? (
    <></>
  ) : (
    <p class="padded muted">
      Turns without a value, these and the others:{" "}
      {unsaid
        .map(({ name, these, others }) => `${name} ${countText(these)} and ${countText(others)}`)
        .join(", ")}
      .
    </p>
  );
