/**
 * @module Comparisons: `>2s`, `<=150ms`, `=3` as people type them, the same in every filter of the
 * pages.
 */

/** `2s`, `150ms`, `1.5m` in milliseconds; a bare number is milliseconds; NaN for anything else. */
export function millisecondsOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (match === null) return Number.NaN;
  const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match[2] ?? "ms"] ?? 1;
  return Number(match[1]) * unit;
}

/** The text without the sign before it. */
export function comparedText(asked: string): string {
  return asked.replace(/^(>=|<=|>|<|=)/, "");
}

/** The sign before it; without one a value has to be at least so much. */
export function comparisonSign(asked: string): "<" | "<=" | "=" | ">=" | ">" {
  return (/^(>=|<=|>|<|=)/.exec(asked)?.[1] ?? ">=") as "<" | "<=" | "=" | ">=" | ">";
}

/**
 * True when the value passes; without a sign it has to be at least so much. What is unknown passes
 * no comparison: it is neither more nor less.
 */
export function compare(
  value: number | null,
  asked: string,
  read: (text: string) => number,
): boolean {
  const wanted = read(comparedText(asked));
  if (value === null || Number.isNaN(wanted)) return false;
  switch (comparisonSign(asked)) {
    case ">":
      return value > wanted;
    case "<":
      return value < wanted;
    case "<=":
      return value <= wanted;
    case "=":
      return value === wanted;
    default:
      return value >= wanted;
  }
}
