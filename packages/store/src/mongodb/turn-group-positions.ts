/**
 * @module TurnGroupPositions: the groups of a page in their order, as a pipeline. The engine sorts
 * and limits: a page reads no group that is not on it.
 */
import type { Collection, Document } from "mongodb";

import {
  afterAllTimes,
  isFromEnd,
  orderKey,
  positionIn,
  usualGroups,
} from "../ledger/group-orders.ts";
import { absentTexts } from "../ledger/turn-orders.ts";
import type {
  GroupField,
  GroupOrder,
  GroupPosition,
  GroupsPaging,
  TurnQuery,
} from "../ledger/turn-query.ts";
import { isStated } from "./call-usage.ts";
import { countIf, request, valueOf } from "./turn-figures.ts";
import { filterOf } from "./turn-filter.ts";

/** The groups of a page, and one more. */
export async function positionsOf(
  collection: Collection<Document>,
  query: TurnQuery,
  by: GroupField,
  paging: GroupsPaging,
): Promise<readonly GroupPosition[]> {
  const { limit, after, order = usualGroups, aheadFrom = afterAllTimes } = paging;
  // `$max` passes over null.
  const past = { $max: { $cond: [{ $lt: ["$own_time", aheadFrom] }, "$own_time", null] } };
  const times = { past, latest: { $max: "$own_time" } };
  const last = { $ifNull: ["$past", "$latest"] };
  const { group, rank } = ranked(order, by, times);
  const [late, number] =
    order.by === "last"
      ? [{ $gte: [last, aheadFrom] }, last]
      : order.by === "value"
        ? [{ $eq: ["$_id", null] }, { $literal: 0 }]
        : [{ $eq: ["$rank", null] }, { $ifNull: ["$rank", 0] }];
  const rows = await request(collection, query, [
    { $match: filterOf(query) },
    ...group,
    { $project: { past: 1, latest: 1, rank } },
    { $project: { last, rank: 1, late, number } },
    ...(after === undefined ? [] : [{ $match: behind(after, paging) }]),
    {
      $sort: { late: 1, number: order.ascending === true ? 1 : -1, _id: isFromEnd(order) ? -1 : 1 },
    },
    { $limit: limit + 1 },
  ]);
  return rows.map(({ _id: value, last: at, rank: figure }) =>
    positionIn(paging, { value: value as string | null, last: at, rank: figure }),
  );
}

/** The engine sorts null before every text, and compares within one type only. */
function behind(after: GroupPosition, paging: GroupsPaging): Document {
  const { order = usualGroups } = paging;
  const { value } = after;
  const place = orderKey(after, paging);
  const beyond = isFromEnd(order)
    ? { _id: { $lt: value ?? "" } }
    : { _id: value === null ? { $ne: null } : { $gt: value } };
  const further = order.ascending === true ? { $gt: place.number } : { $lt: place.number };
  const next = {
    $or: [{ number: further }, { $and: [{ number: { $eq: place.number } }, beyond] }],
  };
  const late = { late: { $eq: true } };
  return place.late ? { $and: [late, next] } : { $or: [late, next] };
}

interface Ranked {
  /** Stages after which there is one document for each group, with its times. */
  readonly group: readonly Document[];
  /** Its figure, null where it is unknown. */
  readonly rank: Document;
}

function ranked({ by: orderBy }: GroupOrder, by: GroupField, times: Document): Ranked {
  const plain = (sums: Document, rank: Document): Ranked => ({
    group: [{ $group: { _id: valueOf(by), ...times, ...sums } }],
    rank,
  });
  const one = (accumulator: Document): Ranked =>
    plain({ figure: accumulator }, { $ifNull: ["$figure", 0] });
  switch (orderBy) {
    case "last":
    case "value":
      return plain({}, { $literal: null });
    case "turns":
      return one({ $sum: 1 });
    case "errors":
      return one(countIf("$has_error"));
    case "tool_failed":
      return one({ $sum: "$tool_failed" });
    case "tokens":
      return plain(
        {
          input: { $sum: "$input_tokens" },
          output: { $sum: "$output_tokens" },
          known: countIf({ $or: [isStated("$input_tokens"), isStated("$output_tokens")] }),
        },
        { $cond: [{ $gt: ["$known", 0] }, { $add: ["$input", "$output"] }, null] },
      );
    case "failed_share":
      return plain(
        {
          failed: countIf({ $eq: ["$verdict", "failed"] }),
          judged: countIf({ $ne: ["$verdict", absentTexts.verdict] }),
        },
        { $cond: [{ $gt: ["$judged", 0] }, { $divide: ["$failed", "$judged"] }, null] },
      );
    case "threads":
      return threads(by, times);
    case "p95_ms":
      return nearestRank(by, times);
  }
}

/**
 * Each thread of a group is one document first: a set of all of them could be too large for one.
 */
function threads(by: GroupField, times: Document): Ranked {
  const both = { value: valueOf(by), thread: valueOf("thread_id") };
  return {
    group: [
      { $group: { _id: both, ...times } },
      {
        $group: {
          _id: "$_id.value",
          past: { $max: "$past" },
          latest: { $max: "$latest" },
          figure: countIf(isStated("$_id.thread")),
        },
      },
    ],
    rank: { $ifNull: ["$figure", 0] },
  };
}

/** The duration at the nearest rank; unknown ones are sorted before all others. */
function nearestRank(by: GroupField, times: Document): Ranked {
  const window = { documents: ["unbounded", "unbounded"] };
  const nth = {
    $add: [{ $subtract: ["$all", "$known"] }, { $ceil: { $multiply: [0.95, "$known"] } }],
  };
  const there = { $and: [{ $gt: ["$known", 0] }, { $eq: ["$nth", nth] }] };
  return {
    group: [
      {
        $project: {
          value: valueOf(by),
          own_time: 1,
          duration_ms: { $ifNull: ["$duration_ms", null] },
        },
      },
      {
        $setWindowFields: {
          partitionBy: "$value",
          sortBy: { duration_ms: 1 },
          output: {
            nth: { $documentNumber: {} },
            all: { $sum: 1, window },
            known: { ...countIf(isStated("$duration_ms")), window },
          },
        },
      },
      {
        $group: {
          _id: "$value",
          ...times,
          figure: { $max: { $cond: [there, "$duration_ms", null] } },
        },
      },
    ],
    rank: { $ifNull: ["$figure", null] },
  };
}
