/**
 * @module TurnGroups: all turns of each agent or thread, as pages of a list. A group is dated by
 * the latest own time of its turns that is not ahead; the groups with the latest time come first,
 * where no other order is requested.
 */
import { groupBy } from "@turnproof/semconv";

import { afterAllTimes, isRanked, positionsOfPage, rankOf, usualGroups } from "./group-orders.ts";
import { compareValues, figureGroups, callGroups } from "./turn-sums.ts";
import { isListField, listFields, textFields, timeFields } from "./turn-fields.ts";
import type { ListField, TextField } from "./turn-fields.ts";
import type {
  FigureGroup,
  GroupedTurns,
  GroupField,
  GroupPosition,
  GroupsPage,
  GroupsPaging,
  NamedField,
  TurnQuery,
  TurnReader,
} from "./turn-query.ts";
import type { TurnRecord } from "./turn-record.ts";

/** The fields that are named in each list: an agent can have as many tenants as turns. */
export const namedFields: Readonly<Record<GroupField, readonly NamedField[]>> = {
  agent_id: ["model", "application_id"],
  thread_id: ["model", "agent_id", "tenant"],
};

/** Most values of a field that are named. */
export const namesMax = 50;

/** Names in the turns of one group, and the number of its threads. */
export type NamesInTurns = Pick<GroupedTurns, "names" | "threads">;

/** A page of the groups of some records: the reference. */
export async function groupsAmong(
  records: readonly TurnRecord[],
  by: GroupField,
  paging: GroupsPaging,
): Promise<GroupsPage> {
  const { order = usualGroups, aheadFrom = afterAllTimes } = paging;
  const own = groupBy(records, (record) => textFields[by](record));
  const positions = [...own].map(([value, turns]) => ({
    value,
    last: lastOf(turns, aheadFrom),
    ...(isRanked(order)
      ? { rank: rankOf(order, figureGroups(turns, { by })[0], namesOf(turns, by).threads) }
      : {}),
  }));
  return groupsPage(positionsOfPage(positions, paging), paging.limit, {
    figures: async (values) =>
      figureGroups(
        values.flatMap((value) => own.get(value) ?? []),
        { by },
      ),
    calls: async (values, kind) =>
      callGroups(
        values.flatMap((value) => own.get(value) ?? []),
        { kind, by: [by] },
      ),
    names: async (values) =>
      new Map(values.map((value) => [value, namesOf(own.get(value) ?? [], by)])),
  });
}

function lastOf(turns: readonly TurnRecord[], aheadFrom: number): number {
  const times = turns.map((one) => timeFields.own_time(one) ?? 0);
  const past = times.filter((time) => time < aheadFrom);
  return (past.length > 0 ? past : times).reduce((last, one) => Math.max(last, one), -Infinity);
}

function namesOf(turns: readonly TurnRecord[], by: GroupField): NamesInTurns {
  const values = (field: TextField | ListField): string[] =>
    distinct(
      turns.flatMap((record) =>
        isListField(field) ? listFields[field](record) : (textFields[field](record) ?? []),
      ),
    );
  return {
    threads: values("thread_id").length,
    names: Object.fromEntries(
      namedFields[by].map((field) => [field, values(field).slice(0, namesMax)]),
    ),
  };
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted(compareValues);
}

/** What a page of groups is made of. */
export interface GroupReads {
  readonly figures: (values: readonly (string | null)[]) => Promise<readonly FigureGroup[]>;
  readonly calls: (
    values: readonly (string | null)[],
    kind: "tool" | "model",
  ) => ReturnType<TurnReader["callFigures"]>;
  readonly names: (
    values: readonly (string | null)[],
  ) => Promise<ReadonlyMap<string | null, NamesInTurns>>;
}

/**
 * The page of the first `limit` positions; one position more means that a page follows. A fixed
 * number of statements reads the turns of all groups of the page.
 */
export async function groupsPage(
  found: readonly GroupPosition[],
  limit: number,
  reads: GroupReads,
): Promise<GroupsPage> {
  const positions = found.slice(0, limit);
  const values = positions.map(({ value }) => value);
  if (values.length === 0) return { groups: [], next: null };
  const [figures, tools, models, names] = await Promise.all([
    reads.figures(values),
    reads.calls(values, "tool"),
    reads.calls(values, "model"),
    reads.names(values),
  ]);
  const figuresBy = new Map(figures.map((one) => [one.value ?? null, one]));
  const byValue = (calls: typeof tools): Map<string | null, (typeof tools)[number]> =>
    new Map(calls.map((one) => [Object.values(one.group)[0] ?? null, one]));
  const [toolsBy, modelsBy] = [byValue(tools), byValue(models)];
  return pageOf(
    positions.flatMap((position) => {
      const own = figuresBy.get(position.value);
      // A turn that was deleted between the statements leaves no figures.
      if (own === undefined) return [];
      return {
        ...own,
        ...position,
        tool_outcomes: toolsBy.get(position.value)?.outcomes ?? {},
        calls_without_usage: modelsBy.get(position.value)?.tokens_unknown ?? 0,
        ...(names.get(position.value) ?? { names: {}, threads: 0 }),
      };
    }),
    found.length > limit ? positions.at(-1) : undefined,
  );
}

/** A page that ends at a position, or is the last. */
export function pageOf(
  groups: readonly GroupedTurns[],
  end: GroupPosition | undefined,
): GroupsPage {
  if (end === undefined) return { groups, next: null };
  const { last, value, rank } = end;
  return { groups, next: rank === undefined ? { last, value } : { last, value, rank } };
}

/** The reads of a provider that has these statements; `names` is over a narrowed query. */
export function groupReads(
  reader: Pick<TurnReader, "turnFigures" | "callFigures">,
  query: TurnQuery,
  by: GroupField,
  names: (narrowed: TurnQuery) => Promise<readonly NameRow[]>,
): GroupReads {
  const narrowed = (values: readonly (string | null)[]): TurnQuery => ({
    ...query,
    where: [...query.where, { any: values.map((is) => ({ text: by, is })) }],
  });
  const inRuns = async <T>(
    values: readonly (string | null)[],
    read: (of: TurnQuery) => Promise<readonly T[]>,
  ): Promise<T[]> => {
    const all: T[] = [];
    for (let from = 0; from < values.length; from += valuesAtOnce) {
      all.push(...(await read(narrowed(values.slice(from, from + valuesAtOnce)))));
    }
    return all;
  };
  return {
    figures: (values) => inRuns(values, (of) => reader.turnFigures(of, { by })),
    calls: (values, kind) => inRuns(values, (of) => reader.callFigures(of, kind, [by])),
    names: async (values) => namesByGroup(await inRuns(values, names), by),
  };
}

/** Values of one condition: engines bound the depth of a choice. */
const valuesAtOnce = 200;

/** One name in the turns of a group, or the number of its threads as `count`. */
export interface NameRow {
  readonly value: string | null;
  readonly field: string;
  readonly name?: string | null;
  readonly count?: number;
}

function namesByGroup(
  rows: readonly NameRow[],
  by: GroupField,
): ReadonlyMap<string | null, NamesInTurns> {
  return new Map(
    [...groupBy(rows, ({ value }) => value)].map(([value, own]) => {
      const named = (field: NamedField): string[] =>
        own.flatMap((row) => (row.field === field ? (row.name ?? []) : [])).toSorted(compareValues);
      const threads = own.find(({ field }) => field === "threads")?.count ?? 0;
      const names = Object.fromEntries(namedFields[by].map((field) => [field, named(field)]));
      return [value, { names, threads }] as const;
    }),
  );
}
