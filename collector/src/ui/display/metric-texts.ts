/**
 * @module MetricTexts: name and value of an outcome's metric. A name with a unit of time, such as
 * `seconds_to_receipt` or `handling_ms`, is a duration.
 */
import { durationText, wordsOf } from "./figures.ts";

/** A metric for a reader; `duration` is set for a metric of time. */
export interface MetricTexts {
  readonly name: string;
  readonly duration?: string;
}

const unitMs: { readonly [unit: string]: number | undefined } = {
  seconds: 1_000,
  milliseconds: 1,
  ms: 1,
};

/** The words of a metric; a value that is no time keeps its name. */
export function metricTexts(name: string, value: number | string | undefined): MetricTexts {
  const plain = { name: wordsOf(name) };
  if (typeof value !== "number" || value < 0) return plain;
  const [, unit = "", before, after = ""] =
    /^(seconds|milliseconds|ms)_((?:to|until|since)_.+)$/.exec(name) ??
    /^()(.+)_(seconds|milliseconds|ms)$/.exec(name) ??
    [];
  const factor = unitMs[unit === "" ? after : unit];
  if (before === undefined || factor === undefined) return plain;
  const words = wordsOf(before);
  return { name: unit === "" ? words : `time ${words}`, duration: durationText(value * factor) };
}
