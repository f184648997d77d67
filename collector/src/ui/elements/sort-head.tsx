/** @module SortHead: a head of a table by which the server orders the list. */
import type { FC } from "hono/jsx";

import { queryOf, termsOf, unclearOf } from "../display/filter-terms.ts";
import { Icon } from "../icons.tsx";

/** Where the list is, and what its address says. */
export interface SortPlace {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * The heading as a link to the list by this field, largest first; a second time smallest first, and
 * then in the list's own order again.
 */
export const SortLink: FC<{
  readonly field: string;
  readonly heading: string;
  readonly at: SortPlace;
}> = ({ field, heading, at: { path, query } }) => {
  const direction = directionOf(field, query);
  const next = new URLSearchParams(query);
  next.delete("sort");
  next.delete("order");
  if (direction !== "ascending") next.set("sort", field);
  if (direction === "descending") next.set("order", "ascending");
  return (
    <a class="sort" href={`${path}${queryOf(termsOf(query), next, unclearOf(query))}`}>
      {heading}
      {direction === undefined ? null : <Icon name={direction === "ascending" ? "up" : "down"} />}
    </a>
  );
};

/** How the list is ordered by this field, if it is. */
export function directionOf(
  field: string,
  query: URLSearchParams,
): "ascending" | "descending" | undefined {
  if (query.get("sort") !== field) return undefined;
  return query.get("order") === "ascending" ? "ascending" : "descending";
}
