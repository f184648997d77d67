/** @module ShareTexts: differences of shares, their intervals and p-values as text. */

/** A difference of shares in percentage points: `+12.5`. */
export function differenceText(difference: number): string {
  return signed(difference * 100);
}

/** An interval of such a difference: `[+3.1, +21]`. */
export function rangeText({ low, high }: { readonly low: number; readonly high: number }): string {
  return `[${signed(low * 100)}, ${signed(high * 100)}]`;
}

function signed(points: number): string {
  const size = Math.abs(points);
  const digits = size >= 10 ? Math.round(size) : Number(size.toFixed(size >= 1 ? 1 : 2));
  return digits === 0 ? "0" : `${points < 0 ? "−" : "+"}${digits}`;
}

/** A p-value; never shown as 0 or, unless it is, as 1. */
export function chanceText(p: number): string {
  if (p < 0.000_1) return "<0.0001";
  if (p >= 1) return "1";
  if (p > 0.99) return ">0.99";
  return String(Number(p.toPrecision(2)));
}

/** A share in percent with one decimal; a part greater than zero is never shown as zero. */
export function rateText(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0 %";
  const percent = (part / whole) * 100;
  return percent < 0.1 ? "<0.1 %" : `${Number(percent.toFixed(1))} %`;
}
