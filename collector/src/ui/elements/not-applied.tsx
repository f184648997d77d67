/**
 * @module NotApplied: the box above a page that does not apply all of its address: the range of
 * time, parameters, and terms of the filter bar, each marked and with its reason.
 */
import type { Child, FC } from "hono/jsx";

import { unclearReason } from "../display/filter-terms.ts";
import { ignoredReason } from "../display/ignored-texts.ts";
import type { IgnoredParameter } from "../display/ignored-texts.ts";
import { timeForms } from "../display/time-range.ts";
import type { RefusedRange } from "../display/time-range.ts";
import { Icon } from "../icons.tsx";
import { OtherRange } from "./other-range.tsx";

/** What is not applied. */
export interface NotAppliedProps {
  readonly range: RefusedRange | undefined;
  readonly parameters: readonly IgnoredParameter[];
  /** Terms that could not be read. */
  readonly terms: readonly string[];
  /** Address of this page with some parameters set, or removed where the value is null. */
  readonly hrefWith: (changes: Readonly<Record<string, string | null>>) => string;
}

/** Most characters of the address that are repeated of one parameter. */
const charsMax = 60;

/** One box for all of them; nothing where the whole address is applied. */
export const NotApplied: FC<NotAppliedProps> = ({ range, parameters, terms, hrefWith }) => {
  const times = range === undefined ? 0 : Math.max(1, range.noTimes.length);
  const count = times + parameters.length + terms.length;
  if (count === 0) return <></>;
  const isRead = range !== undefined && range.noTimes.length === 0;
  return (
    <div class={count > 1 ? "unclear several" : "unclear"} role="status" data-not-applied>
      <Icon name="warning" />
      <p>{isRead ? "Not applied:" : "Not understood and not applied:"}</p>
      {range === undefined ? null : (
        <ul id="range-refused">
          <RangeLines range={range} hrefWith={hrefWith} />
        </ul>
      )}
      {parameters.length === 0 ? null : (
        <ul data-left-out>
          {parameters.map((parameter) => (
            <Line
              of={shortened(`${parameter.name}=${parameter.value}`)}
              why={ignoredReason(parameter)}
            />
          ))}
        </ul>
      )}
      {terms.length === 0 ? null : (
        <ul id="filter-unclear">
          {terms.map((term) => (
            <Line of={term} why={unclearReason(term)} />
          ))}
        </ul>
      )}
    </div>
  );
};

const Line: FC<{ readonly of: string | undefined; readonly why: Child }> = ({ of, why }) => (
  <li>
    <mark>{of}</mark> <span class="muted">{why}</span>
  </li>
);

const RangeLines: FC<{
  readonly range: RefusedRange;
  readonly hrefWith: NotAppliedProps["hrefWith"];
}> = ({ range: { requested, noTimes }, hrefWith }) =>
  noTimes.length === 0 ? (
    <li class="spread">
      <span>
        <mark>{requested.start_time}</mark> to <mark>{requested.end_time}</mark>{" "}
        <span class="muted">is an empty range: its end is not after its start</span>
      </span>
      <OtherRange requested={requested} hrefWith={hrefWith} small />
    </li>
  ) : (
    <>
      {noTimes.map((name) => (
        <Line
          of={requested[name]}
          why={`${name === "start_time" ? "From" : "Before"} takes ${timeForms}`}
        />
      ))}
    </>
  );

function shortened(text: string): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
