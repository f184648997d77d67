/**
 * @module GroupOrders: the orders of a list of agents or threads, and the positions of its pages.
 * An order by a figure goes over all groups of the query, never over those of a page.
 */
import type { FigureGroup, GroupOrder, GroupPosition, GroupsPaging } from "./turn-query.ts";
import { absentTexts } from "./turn-orders.ts";
import { compareValues } from "./turn-sums.ts";

/** Later than every own time, which is a whole number that every provider sorts exactly. */
export const afterAllTimes: number = 2 ** 53;

/** The order of a list that names none. */
export const usualGroups: GroupOrder = { by: "last" };

/** The order of a page, and the time from which on none dates a group. */
type Ordering = Pick<GroupsPaging, "order" | "aheadFrom">;

/**
 * A group's position in an order: those that come last whatever the direction, the number by which
 * the others go, and whether equal ones go by their value from its end.
 */
export function orderKey(
  { last, rank, value }: GroupPosition,
  { order = usualGroups, aheadFrom = afterAllTimes }: Ordering,
): { readonly late: boolean; readonly number: number } {
  if (order.by === "last") return { late: last >= aheadFrom, number: last };
  if (order.by === "value") return { late: value === null, number: 0 };
  return { late: rank === null || rank === undefined, number: rank ?? 0 };
}

/** True where equal groups go by their value from its end. */
export function isFromEnd({ by, ascending = false }: GroupOrder): boolean {
  return by === "value" && !ascending;
}

/** Negative when `a` comes first. */
function compareGroups(a: GroupPosition, b: GroupPosition, ordering: Ordering): number {
  const { order = usualGroups } = ordering;
  const [one, other] = [orderKey(a, ordering), orderKey(b, ordering)];
  const numbers = one.number - other.number;
  return (
    Number(one.late) - Number(other.late) ||
    (order.ascending === true ? numbers : -numbers) ||
    (isFromEnd(order) ? -1 : 1) * compareValues(a.value, b.value)
  );
}

/** The positions behind the start of a page, in their order, and one more than it has. */
export function positionsOfPage<T extends GroupPosition>(
  all: readonly T[],
  paging: GroupsPaging,
): readonly T[] {
  const { after, limit } = paging;
  return all
    .filter((position) => after === undefined || compareGroups(position, after, paging) > 0)
    .toSorted((a, b) => compareGroups(a, b, paging))
    .slice(0, limit + 1);
}

/** True for an order by a figure, for which each group is counted. */
export function isRanked({ by }: GroupOrder): boolean {
  return by !== "last" && by !== "value";
}

/** The figure of a group by which an order goes. */
export function rankOf(
  { by }: GroupOrder,
  figures: FigureGroup | undefined,
  threads: number | undefined,
): number | null {
  if (by === "threads") return threads ?? 0;
  if (figures === undefined) return null;
  if (by === "failed_share") return failedShare(figures);
  const { input_tokens: input, output_tokens: output } = figures;
  if (by === "tokens")
    return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
  return by === "last" || by === "value" ? null : figures[by];
}

/** The position of a group in a row of a provider. */
export function positionIn(
  { order = usualGroups }: Ordering,
  {
    value,
    last,
    rank,
  }: { readonly value: string | null; readonly last: unknown; readonly rank: unknown },
): GroupPosition {
  const position = { value, last: Number(last) };
  if (!isRanked(order)) return position;
  return { ...position, rank: rank === null || rank === undefined ? null : Number(rank) };
}

/** Failed turns among the judged ones; null without a judged one. */
function failedShare({ turns, verdicts }: FigureGroup): number | null {
  const judged = turns - (verdicts[absentTexts.verdict ?? ""] ?? 0);
  return judged === 0 ? null : (verdicts["failed"] ?? 0) / judged;
}
