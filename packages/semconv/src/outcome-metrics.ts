/**
 * @module OutcomeMetrics: an outcome's metrics, an object of scalars (requirements: Feedback), as
 * flat lists: names of numbers first, then names of texts.
 */

/** A metric: a finite number, true or false (kept as 1 or 0), or a label. */
export type MetricValue = number | boolean | string;

/** The lists; `metric_names[i]` names `metric_values[i]`, later names belong to the texts. */
export interface MetricLists {
  readonly metric_names: readonly string[];
  readonly metric_values: readonly number[];
  readonly metric_texts: readonly string[];
}

/**
 * Splits metrics; null and undefined are unknown and left out. The recorder validates the values.
 */
export function splitMetrics(metrics: Readonly<Record<string, unknown>>): Partial<MetricLists> {
  const known = Object.entries(metrics).filter(([, value]) => (value ?? null) !== null);
  const texts = known.filter(([, value]) => typeof value === "string");
  const numbers = known.filter(([, value]) => typeof value !== "string");
  const numberOf = (value: unknown): unknown =>
    typeof value === "boolean" ? Number(value) : value;
  return {
    ...(known.length === 0 ? {} : { metric_names: [...numbers, ...texts].map(([name]) => name) }),
    ...(numbers.length === 0
      ? {}
      : { metric_values: numbers.map(([, value]) => numberOf(value) as number) }),
    ...(texts.length === 0 ? {} : { metric_texts: texts.map(([, value]) => value as string) }),
  };
}

/**
 * The value of the metric at a place in `metric_names`; undefined when the lists do not hold it.
 */
export function metricAt(lists: Partial<MetricLists>, index: number): number | string | undefined {
  const numbers = lists.metric_values ?? [];
  return index < numbers.length ? numbers[index] : lists.metric_texts?.[index - numbers.length];
}
