/** @module OtherRange: ranges to take instead of one that is empty. */
import type { FC } from "hono/jsx";

import { countsBack } from "../display/time-range.ts";
import type { RefusedRange } from "../display/time-range.ts";

interface LinkMaker {
  /** Address of this page with some parameters set, or removed where the value is null. */
  readonly hrefWith: (changes: Readonly<Record<string, string | null>>) => string;
}

/** The two times swapped; of two equal ones only the first is kept. */
export const OtherRange: FC<
  LinkMaker & { readonly requested: RefusedRange["requested"]; readonly small?: boolean }
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
