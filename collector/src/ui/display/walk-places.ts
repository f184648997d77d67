/**
 * @module WalkPlaces: where the rows of a tree stand in a list of its records, when the rows are
 * a walk of the tree from its roots, parents before children. The order follows from ids, parents
 * and starts, so 10,000 places need not travel: they are a twentieth of a large turn's bytes.
 */
import { compareText } from "@turnproof/evidence";

import type { FieldReader } from "./derived-columns.ts";

/** Fields of the records: id, id of the parent, and start, which orders siblings. */
export interface TreeWalk {
  readonly id: string;
  readonly parent: string;
  readonly start: string;
}

/**
 * Places of the records in the order of the walk. Siblings are by start, then by place. A record
 * with a parent that is not in the list is a root; records in a cycle are left out.
 */
export function walkPlaces(
  { id, parent, start }: TreeWalk,
  count: number,
  read: (field: string) => FieldReader,
): readonly number[] {
  const ids = read(id);
  const parents = read(parent);
  const starts = read(start);
  const known = new Map<unknown, number>();
  for (let place = 0; place < count; place += 1) known.set(ids(place), place);
  const roots: number[] = [];
  const children = new Map<number, number[]>();
  const startOf = Array.from({ length: count }, (_, place) => textOf(starts(place)));
  for (let place = 0; place < count; place += 1) {
    const above = known.get(parents(place));
    if (above === undefined) roots.push(place);
    else {
      const siblings = children.get(above);
      if (siblings === undefined) children.set(above, [place]);
      else siblings.push(place);
    }
  }
  const latestFirst = (a: number, b: number): number =>
    compareText(startOf[b] ?? "", startOf[a] ?? "") || b - a;
  const places: number[] = [];
  const left = roots.sort(latestFirst);
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    places.push(place);
    for (const child of children.get(place)?.sort(latestFirst) ?? []) left.push(child);
  }
  return places;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
