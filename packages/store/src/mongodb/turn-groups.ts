/** @module TurnGroups: the groups of a page and the names in their turns, as pipelines. */
import type { Collection, Document } from "mongodb";

import { groupReads, groupsPage, namedFields, namesMax } from "../ledger/turn-groups.ts";
import type { NameRow } from "../ledger/turn-groups.ts";
import type { GroupField, GroupsPage, GroupsPaging, TurnQuery } from "../ledger/turn-query.ts";
import { callsOf, figuresOf, request, unwound, valueOf } from "./turn-figures.ts";
import { filterOf } from "./turn-filter.ts";
import { positionsOf } from "./turn-group-positions.ts";

/** A page of groups. */
export async function groupsOf(
  collection: Collection<Document>,
  query: TurnQuery,
  by: GroupField,
  paging: GroupsPaging,
): Promise<GroupsPage> {
  const positions = await positionsOf(collection, query, by, paging);
  const reads = groupReads(
    {
      turnFigures: (of, options) => figuresOf(collection, of, options),
      callFigures: (of, kind, fields) => callsOf(collection, of, { kind, by: fields }),
    },
    query,
    by,
    (of) => namesIn(collection, of, by),
  );
  return groupsPage(positions, paging.limit, reads);
}

/** The first names in the turns of each group, and the number of its threads. */
async function namesIn(
  collection: Collection<Document>,
  query: TurnQuery,
  by: GroupField,
): Promise<readonly NameRow[]> {
  const distinct = (field: (typeof namedFields)[GroupField][number] | "thread_id"): Document[] => [
    { $match: filterOf(query) },
    ...unwound(field),
    { $group: { _id: { value: valueOf(by), name: valueOf(field) } } },
    { $match: { "_id.name": { $ne: null } } },
  ];
  const named = namedFields[by].map(async (field) => {
    const rows = await request(collection, query, [
      ...distinct(field),
      { $sort: { "_id.name": 1 } },
      { $group: { _id: "$_id.value", names: { $push: "$_id.name" } } },
      { $project: { names: { $slice: ["$names", namesMax] } } },
    ]);
    return rows.flatMap(({ _id: value, names }) =>
      (names as string[]).map((name) => ({ value: value as string | null, field, name })),
    );
  });
  const threads = request(collection, query, [
    ...distinct("thread_id"),
    { $group: { _id: "$_id.value", count: { $sum: 1 } } },
  ]);
  // All together: one that fails alone would leave the failures of the others without a handler.
  const [counted, ...names] = await Promise.all([threads, ...named]);
  const counts = counted.map(({ _id: value, count }) => ({
    value: value as string | null,
    field: "threads",
    count: Number(count),
  }));
  return [...names.flat(), ...counts];
}
