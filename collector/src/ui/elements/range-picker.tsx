/**
 * @module RangePicker: the range of time of a page over many turns, in its header. Offered ranges
 * are links and the own range is a form, so that it works without scripts; a relative range stays
 * relative in the address.
 */
import type { FC } from "hono/jsx";

import {
  requestedRange,
  isRelative,
  offeredRanges,
  rangeParameters,
  readTime,
  relativeTexts,
  writtenTime,
} from "../display/time-range.ts";
import type { TimeForm } from "../display/figures.ts";
import { Icon } from "../icons.tsx";
import { Time } from "./figure.tsx";

/** The picker of a page with this path and query; the page's other parameters are kept. */
export const RangePicker: FC<{
  readonly path: string;
  readonly query: URLSearchParams;
  /** True where the page states that it does not apply the range of its address. */
  readonly refused: boolean;
}> = ({ path, query, refused }) => {
  const start = query.get("start_time") ?? "";
  const end = query.get("end_time") ?? "";
  const offered = end === "" ? offeredRanges.find((range) => range.start === start) : undefined;
  const kept = [...query].filter(([name, value]) => value !== "" && !isLeft(name));
  return (
    <details class="range" data-menu data-range>
      <summary
        class="button"
        title="Time range"
        data-control="range"
        aria-describedby={refused ? "range-refused" : undefined}
      >
        <Icon name="clock" label="Time range:" />
        <span class="range-words">
          {start === "" && end === "" ? (
            "All time"
          ) : offered === undefined ? (
            <>
              <RangeEnd at={start} open="start" /> – <RangeEnd at={end} open="now" />
            </>
          ) : (
            offered.name
          )}
        </span>
      </summary>
      <div class="range-menu">
        <ul>
          <li>
            <Offer href={hrefOf(path, kept)} name="All time" on={start === "" && end === ""} />
          </li>
          {offeredRanges.map((range) => (
            <li>
              <Offer
                href={hrefOf(path, [...kept, ["start_time", range.start]])}
                name={range.name}
                on={range === offered}
              />
            </li>
          ))}
        </ul>
        <form method="get" action={path} aria-label="Own time range" data-range-form>
          {kept.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <Field name="start_time" word="From" value={start} />
          <Field name="end_time" word="Before" value={end} />
          <div class="range-end">
            <span class="muted" data-range-clock>
              in UTC
            </span>
            <button class="button bare small" type="button" data-other-clock hidden>
              UTC or local
            </button>
            <button class="button" type="submit" data-control="range apply">
              Apply
            </button>
          </div>
        </form>
      </div>
    </details>
  );
};

/** The range of this page in another form of it. */
export const RangeInputs: FC<{ readonly query: URLSearchParams }> = ({ query }) => (
  <>
    {Object.entries(requestedRange(query)).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

/** A cursor belongs to the range that it was issued for. */
function isLeft(name: string): boolean {
  return (
    name === "cursor" || name === "skip" || rangeParameters.some((parameter) => parameter === name)
  );
}

function hrefOf(path: string, parameters: readonly (readonly [string, string])[]): string {
  const text = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString();
  return text === "" ? path : `${path}?${text}`;
}

const Offer: FC<{ readonly href: string; readonly name: string; readonly on: boolean }> = ({
  href,
  name,
  on,
}) => (
  <a href={href} aria-current={on ? "true" : undefined} data-control={`range ${name}`}>
    {name}
  </a>
);

/** One end of a range in words; without a time it is open. */
export const RangeEnd: FC<{
  readonly at: string;
  readonly open: string;
  readonly form?: TimeForm;
}> = ({ at, open, form = "daytime" }) =>
  at === "" ? (
    <>{open}</>
  ) : isRelative(at) ? (
    <>{relativeTexts(at)}</>
  ) : (
    <Time at={readTime(at, 0) ?? at} form={form} />
  );

/**
 * One end of the own range. A relative time is text, so that a form without script keeps it; with
 * script the field is one for times, and the words beside its name state what it keeps.
 */
const Field: FC<{ readonly name: string; readonly word: string; readonly value: string }> = ({
  name,
  word,
  value,
}) => {
  const relative = isRelative(value);
  const utc = readTime(writtenTime(value), 0) ?? "";
  const exact = /\.(?!0+Z)/.test(utc);
  return (
    <label>
      <span>
        {word} <span class="muted" data-range-hint></span>
      </span>
      <input
        class="field"
        type={relative ? "text" : "datetime-local"}
        step={exact && !relative ? "0.001" : "1"}
        name={name}
        value={relative ? value : utc.slice(0, exact ? 23 : 19)}
        data-kept={value}
      />
    </label>
  );
};
