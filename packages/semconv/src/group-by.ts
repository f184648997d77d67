/** @module Grouping: `Map.groupBy` for every Node that the packages support. Node 20 lacks it. */

/** The values under each key, keys in the order of their first value, values in their own order. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
