/** @module DistinctValues: the values that events of one turn have. */
import type { TurnEvent } from "../event/event.ts";

/** The only recorded value; undefined with none or several. */
export function onlyValue(
  events: readonly TurnEvent[],
  field: "application_id" | "memory_id" | "run_id",
): string | undefined {
  let only: string | undefined;
  for (const { [field]: value } of events) {
    if (value === undefined || value === only) continue;
    if (only !== undefined) return undefined;
    only = value;
  }
  return only;
}

/** Up to this many values a list is searched; beyond, a set is used. */
const searchedMax = 16;

/** Distinct values in text order; most lists of a turn have one value or none. */
export function distinct<T extends string>(
  events: readonly TurnEvent[],
  read: (event: TurnEvent) => T | undefined,
): T[] {
  const values: T[] = [];
  let met: Set<T> | undefined;
  for (const event of events) {
    const value = read(event);
    if (value === undefined || (met?.has(value) ?? values.includes(value))) continue;
    values.push(value);
    if (met !== undefined) met.add(value);
    else if (values.length === searchedMax) met = new Set(values);
  }
  return values.length < 2 ? values : values.toSorted();
}
