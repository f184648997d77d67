/**
 * @module Milliseconds: a normalized time as a number, for offsets and durations of many events.
 * Where order is decided, the text is compared (`compareTimes`).
 */
function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at += 1) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}

/** Days since 1970-01-01 of a proleptic Gregorian date, counted in eras of 400 years. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

/** Adjacent events share their date, so the calendar is computed once per day. */
let lastDate = 0;
let lastDays = daysOf(0, 0, 0);

function minuteMs(text: string): number {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  const date = (year * 100 + month) * 100 + day;
  if (date !== lastDate) {
    lastDate = date;
    lastDays = daysOf(year, month, day);
  }
  return ((lastDays * 24 + digits(text, 11, 2)) * 60 + digits(text, 14, 2)) * 60_000;
}

/** A double holds no more digits. */
const fractionDigitsMax = 15;
const tens: readonly number[] = Array.from({ length: fractionDigitsMax + 1 }, (_, at) => 10 ** at);

/**
 * Milliseconds since the epoch of a time of the form `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, with the
 * precision of a double (a quarter of a microsecond in this century).
 */
export function instantMs(text: string): number {
  const whole = minuteMs(text) + digits(text, 17, 2) * 1000;
  const count = Math.min(text.length - 21, fractionDigitsMax);
  return count <= 0 ? whole : whole + (digits(text, 20, count) / (tens[count] as number)) * 1000;
}

/** A difference of two such numbers, rounded to a tenth of a microsecond. */
export function roundMs(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
