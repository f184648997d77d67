/**
 * @module GroupOrders: the orders of a list of agents or threads, and the places of its pages. An
 * order by a figure goes over all groups of the question, never over those of a page.
 */
import type { FigureGroup, GroupOrder, GroupPlace, GroupsPaging } from "./turn-question.ts";
import { compareValues } from "./turn-sums.ts";

/** Later than every own time, which is a whole number that every provider sorts exactly. */
export const afterAllTimes: number = 2 ** 53;

/** The order of a list that names none. */
export const usualGroups: GroupOrder = { by: "last" };

/** The order of a page, and the time from which on none dates a group. */
type Ordering = Pick<GroupsPaging, "order" | "aheadFrom">;

/**
 * A group's place in an order: those that come last whatever the direction, the number by which the
 * others go, and whether equal ones go by their value from its end.
 */
export function orderKey(
  { last, rank, value }: GroupPlace,
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
function compareGroups(a: GroupPlace, b: GroupPlace, ordering: Ordering): number {
  const { order = usualGroups } = ordering;
  const [one, other] = [orderKey(a, ordering), orderKey(b, ordering)];
  const numbers = one.number - other.number;
  return (
    Number(one.late) - Number(other.late) ||
    (order.ascending === true ? numbers : -numbers) ||
    (isFromEnd(order) ? -1 : 1) * compareValues(a.value, b.value)
  );
}

/** The places behind the start of a page, in their order, and one more than it has. */
export function placesOfPage<T extends GroupPlace>(
  all: readonly T[],
  paging: GroupsPaging,
): readonly T[] {
  const { after, limit } = paging;
  return all
    .filter((place) => after === undefined || compareGroups(place, after, paging) > 0)
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
  const { input_tokens: input, output_tokens: output } = figures;
  if (by === "tokens")
    return input === null && output === null ? null : (input ?? 0) + (output ?? 0);
  return by === "last" || by === "value" ? null : figures[by];
}

/** More groups than any store has. */
const allGroups = 2 ** 31 - 2;

/**
 * The places of a page, and one more, for a provider that reads them by their latest time alone.
 * Another order reads every group: its place and, where it goes by a figure, that.
 */
export async function placesInOrder(
  paging: GroupsPaging,
  { places, figures, names }: OrderReads,
): Promise<readonly GroupPlace[]> {
  const { order = usualGroups, aheadFrom } = paging;
  if (order.by === "last" && order.ascending !== true) return places(paging);
  const ahead = aheadFrom === undefined ? {} : { aheadFrom };
  const byThreads = order.by === "threads";
  const [all, figured, named] = await Promise.all([
    places({ limit: allGroups, ...ahead }),
    isRanked(order) && !byThreads ? figures() : [],
    byThreads ? names() : [],
  ]);
  if (!isRanked(order)) return placesOfPage(all, paging);
  const figuresBy = new Map(figured.map((one) => [one.value ?? null, one]));
  const threadsBy = new Map(
    named.flatMap(({ value, field, count }) =>
      field === "threads" ? [[value, count] as const] : [],
    ),
  );
  const ranked = all.map((place) => ({
    ...place,
    rank: rankOf(order, figuresBy.get(place.value), threadsBy.get(place.value)),
  }));
  return placesOfPage(ranked, paging);
}

/** A row of the names in the turns of a group; of the field `threads`, their number. */
interface ThreadCount {
  readonly value: string | null;
  readonly field: string;
  readonly count?: number;
}

/** Reads over all groups of the question. */
interface OrderReads {
  /** By their latest time. */
  readonly places: (paging: GroupsPaging) => readonly GroupPlace[] | Promise<readonly GroupPlace[]>;
  readonly figures: () => readonly FigureGroup[] | Promise<readonly FigureGroup[]>;
  readonly names: () => readonly ThreadCount[] | Promise<readonly ThreadCount[]>;
}
