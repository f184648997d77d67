/** @module TurnGroups: the groups of a page and the names in their turns, as pipelines. */
import type { Collection, Document } from "mongodb";

import { afterAllTimes, placesInOrder } from "../ledger/group-orders.ts";
import { groupReads, groupsPage, namedFields, namesMax } from "../ledger/turn-groups.ts";
import type { NameRow } from "../ledger/turn-groups.ts";
import type {
  GroupField,
  GroupPlace,
  GroupsPage,
  GroupsPaging,
  TurnQuestion,
} from "../ledger/turn-question.ts";
import { callsOf, figuresOf, request, unwound, valueOf } from "./turn-figures.ts";
import { filterOf } from "./turn-filter.ts";

/** A page of groups. */
export async function groupsOf(
  collection: Collection<Document>,
  question: TurnQuestion,
  by: GroupField,
  paging: GroupsPaging,
): Promise<GroupsPage> {
  const places = await placesInOrder(paging, {
    places: (of) => placesOf(collection, question, by, of),
    figures: () => figuresOf(collection, question, { by }),
    names: () => namesIn(collection, question, by),
  });
  const reads = groupReads(
    {
      turnFigures: (of, options) => figuresOf(collection, of, options),
      callFigures: (of, kind, fields) => callsOf(collection, of, { kind, by: fields }),
    },
    question,
    by,
    (of) => namesIn(collection, of, by),
  );
  return groupsPage(places, paging.limit, reads);
}

/** The groups of a page, and one more. */
async function placesOf(
  collection: Collection<Document>,
  question: TurnQuestion,
  by: GroupField,
  { limit, after, aheadFrom = afterAllTimes }: GroupsPaging,
): Promise<readonly GroupPlace[]> {
  // `$max` passes over null.
  const past = { $cond: [{ $lt: ["$own_time", aheadFrom] }, "$own_time", null] };
  const last = { $ifNull: ["$past", "$latest"] };
  const rows = await request(collection, question, [
    { $match: filterOf(question) },
    { $group: { _id: valueOf(by), past: { $max: past }, latest: { $max: "$own_time" } } },
    { $project: { last, ahead: { $gte: [last, aheadFrom] } } },
    ...(after === undefined ? [] : [{ $match: behind(after, after.last >= aheadFrom) }]),
    { $sort: { ahead: 1, last: -1, _id: 1 } },
    { $limit: limit + 1 },
  ]);
  return rows.map(({ _id: value, last: time }) => ({ value: value as never, last: Number(time) }));
}

/** The engine sorts null before every text, and compares within one type only. */
function behind({ last, value }: GroupPlace, isAhead: boolean): Document {
  const beyond = value === null ? { _id: { $ne: null } } : { _id: { $gt: value } };
  const next = { $or: [{ last: { $lt: last } }, { $and: [{ last: { $eq: last } }, beyond] }] };
  const ahead = { ahead: { $eq: true } };
  return isAhead ? { $and: [ahead, next] } : { $or: [ahead, next] };
}

/** The first names in the turns of each group, and the number of its threads. */
async function namesIn(
  collection: Collection<Document>,
  question: TurnQuestion,
  by: GroupField,
): Promise<readonly NameRow[]> {
  const distinct = (field: (typeof namedFields)[GroupField][number] | "thread_id"): Document[] => [
    { $match: filterOf(question) },
    ...unwound(field),
    { $group: { _id: { value: valueOf(by), name: valueOf(field) } } },
    { $match: { "_id.name": { $ne: null } } },
  ];
  const named = namedFields[by].map(async (field) => {
    const rows = await request(collection, question, [
      ...distinct(field),
      { $sort: { "_id.name": 1 } },
      { $group: { _id: "$_id.value", names: { $push: "$_id.name" } } },
      { $project: { names: { $slice: ["$names", namesMax] } } },
    ]);
    return rows.flatMap(({ _id: value, names }) =>
      (names as string[]).map((name) => ({ value: value as string | null, field, name })),
    );
  });
  const threads = request(collection, question, [
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
