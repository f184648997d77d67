/** @module Comparisons: parses `>2s`, `<=150ms`, `=3`, the same in every filter of the pages. */

/** `2s`, `150ms`, `1.5m` in milliseconds; a bare number is milliseconds; NaN for anything else. */
export function millisecondsOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (match === null) return Number.NaN;
  const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match[2] ?? "ms"] ?? 1;
  return Number(match[1]) * unit;
}

/** The text without its operator. */
export function comparedText(requested: string): string {
  return requested.replace(/^(>=|<=|>|<|=)/, "");
}

/** The operator; without one it is `>=`. */
export function comparisonSign(requested: string): "<" | "<=" | "=" | ">=" | ">" {
  return (/^(>=|<=|>|<|=)/.exec(requested)?.[1] ?? ">=") as "<" | "<=" | "=" | ">=" | ">";
}

/**
 * True when the value matches; without an operator it must be at least that much. An unknown value
 * matches no comparison.
 */
export function compare(
  value: number | null,
  requested: string,
  read: (text: string) => number,
): boolean {
  const wanted = read(comparedText(requested));
  if (value === null || Number.isNaN(wanted)) return false;
  switch (comparisonSign(requested)) {
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
