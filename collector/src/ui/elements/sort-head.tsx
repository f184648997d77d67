/** @module SortHead: a table head that sorts the list on the server. */
import type { FC } from "hono/jsx";

import { queryOf, termsOf, unclearOf } from "../display/filter-terms.ts";
import { Icon } from "../icons.tsx";

/** Address of the list, its parameters, and the field by which it goes without them. */
export interface SortContext {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly usual?: string;
}

/**
 * The heading as a link that sorts by this field, largest first; then smallest first, and then in
 * the list's own order again. A `rising` one begins with the smallest.
 */
const SortLink: FC<{
  readonly field: string;
  readonly heading: string;
  readonly at: SortContext;
  readonly rising?: true | undefined;
}> = ({ field, heading, at: { path, query, usual }, rising }) => {
  const direction = directionOf(field, query, usual);
  const directions = rising === true ? ["ascending", "descending"] : ["descending", "ascending"];
  const order = directions[direction === undefined ? 0 : directions.indexOf(direction) + 1];
  const next = new URLSearchParams(query);
  next.delete("sort");
  next.delete("order");
  if (order !== undefined) next.set("sort", field);
  if (order === "ascending") next.set("order", order);
  return (
    <a
      class="sort"
      href={`${path}${queryOf(termsOf(query), next, unclearOf(query))}`}
      data-control={`sort ${field}`}
    >
      {heading}
      {direction === undefined ? null : <Icon name={direction === "ascending" ? "up" : "down"} />}
    </a>
  );
};

/** Direction of the list's order by this field, if any. */
function directionOf(
  field: string,
  query: URLSearchParams,
  usual?: string,
): "ascending" | "descending" | undefined {
  if ((query.get("sort") ?? usual) !== field) return undefined;
  return query.get("order") === "ascending" ? "ascending" : "descending";
}

/** The head of a column by which the list is sorted. */
export const SortHead: FC<{
  readonly field: string;
  readonly heading: string;
  readonly at: SortContext;
  readonly class?: string | undefined;
  readonly title?: string;
  readonly rising?: true;
}> = ({ field, heading, at, title, rising, class: named }) => (
  <th scope="col" class={named} title={title} aria-sort={directionOf(field, at.query, at.usual)}>
    <SortLink field={field} heading={heading} at={at} rising={rising} />
  </th>
);
