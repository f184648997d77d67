/** @module RefusedRange: why the range of an address is not applied, and a range to take instead. */
import type { FC } from "hono/jsx";

import { countsBack } from "../display/time-range.ts";
import type { RefusedRange } from "../display/time-range.ts";
import { Icon } from "../icons.tsx";

interface Place {
  /** Address of this page with some parameters set, or removed where the value is null. */
  readonly hrefWith: (changes: Readonly<Record<string, string | null>>) => string;
}

/** The line above a page that is shown without the range of its address. */
export const RangeRefusal: FC<Place & { readonly refused: RefusedRange }> = ({
  refused,
  hrefWith,
}) => {
  const { requested, noTimes } = refused;
  return (
    <div class="unclear" id="range-refused" role="status" data-range-refused>
      <Icon name="warning" />
      {noTimes.length === 0 ? (
        <>
          <p>Nothing can lie in this time range, which is not applied:</p>
          <p>
            <mark>{requested.start_time}</mark> to <mark>{requested.end_time}</mark>
          </p>
          <OtherRange requested={requested} hrefWith={hrefWith} small />
        </>
      ) : (
        <>
          <p>Not understood as a time and not applied:</p>
          <ul>
            {noTimes.map((name) => (
              <li>
                <mark>{requested[name]}</mark>{" "}
                <span class="muted">
                  {name === "start_time" ? "From" : "Before"} takes 2026-11-21, 2026-11-21T09:30:00Z
                  or a relative time, -24h
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
};

/** The two times swapped; of two equal ones only the first is kept. */
export const OtherRange: FC<
  Place & { readonly requested: RefusedRange["requested"]; readonly small?: boolean }
> = ({ requested: { start_time: from, end_time: to }, hrefWith, small = false }) => {
  const inverted = from !== undefined && to !== undefined && countsBack(from, to);
  const [first, second] = small
    ? ["button small", "button small"]
    : ["button primary", inverted ? "button" : "button primary"];
  return (
    <>
      {inverted ? (
        <a class={first} href={hrefWith({ start_time: to, end_time: from, cursor: null })}>
          Swap the two times
        </a>
      ) : null}
      <a class={second} href={hrefWith({ start_time: from ?? null, end_time: null, cursor: null })}>
        Everything since the first
      </a>
    </>
  );
};
