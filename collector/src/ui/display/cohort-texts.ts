/** @module CohortTexts: figures of compared groups of turns as text. */
import type { CohortRow, CohortSide, CohortUnit } from "./cohort-figures.ts";
import { countText, durationText, usdText } from "./figures.ts";
import { differenceText, rangeText, rateText } from "./share-texts.ts";

/** A value in its unit, or what it is at least and at most; undefined where it is unknown. */
export function sideText(
  { value, low, high, hits, of }: CohortSide,
  unit: CohortUnit,
): string | undefined {
  if (value === null) {
    if (low === null) return undefined;
    const least = valueText(low, unit);
    return high === null ? `at least ${least}` : `${least} to ${valueText(high, unit)}`;
  }
  if (unit === "share" && hits !== null) return rateText(hits, of);
  return valueText(value, unit);
}

function valueText(value: number, unit: CohortUnit): string {
  if (unit === "share") return rateText(value, 1);
  if (unit === "usd") return usdText(value);
  if (unit === "ms") return durationText(value);
  return value >= 100 ? countText(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** The interval of a value: `[12 %, 18 %]`; undefined without a value or a bound. */
export function intervalText(
  { value, low, high }: CohortSide,
  unit: CohortUnit,
): string | undefined {
  if (value === null || (low === null && high === null)) return undefined;
  const bound = (value: number | null): string => (value === null ? "?" : valueText(value, unit));
  return `[${bound(low)}, ${bound(high)}]`;
}

/** The difference with its interval; of shares in percentage points. */
export function changeText({ difference, low, high, unit }: CohortRow): {
  readonly difference: string | undefined;
  readonly interval: string | undefined;
} {
  if (difference === null) return { difference: undefined, interval: undefined };
  const known = low === null || high === null ? undefined : { low, high };
  if (unit === "share") {
    return {
      difference: differenceText(difference),
      interval: known === undefined ? undefined : rangeText(known),
    };
  }
  const text = (value: number): string => signed(value, unit);
  return {
    difference: text(difference),
    interval: known === undefined ? undefined : `[${text(known.low)}, ${text(known.high)}]`,
  };
}

function signed(value: number, unit: CohortUnit): string {
  if (value === 0) return valueText(0, unit);
  return `${value < 0 ? "−" : "+"}${valueText(Math.abs(value), unit)}`;
}
