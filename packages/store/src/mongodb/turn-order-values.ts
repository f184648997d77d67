/**
 * @module TurnOrderValues: pages of documents in an order. Those with a known value come in their
 * order, then the others: the engine sorts null first. A rank is computed in the engine.
 */
import type { Collection, Document, Filter } from "mongodb";

import type { TurnOrder, TurnPosition, TurnQuery } from "../ledger/turn-query.ts";
import {
  absentTexts,
  codeWeights,
  isRankOrder,
  isTextOrder,
  knownProfiles,
  otherWeight,
  requiredStages,
  verdictRanks,
} from "../ledger/turn-orders.ts";
import type { OrderField, RankOrder } from "../ledger/turn-orders.ts";
import { fieldOfList } from "./turn-documents.ts";
import { filterOf } from "./turn-filter.ts";

const profiles = `$${fieldOfList("coverage_profile")}`;

/** The value of the first list with `of` in it, else the rest. */
function choice(
  of: string,
  lists: readonly (readonly [values: readonly string[], value: number])[],
  rest: number | null,
): unknown {
  return lists.reduceRight<unknown>(
    (others, [values, value]) => ({ $cond: [{ $in: [of, values] }, value, others] }),
    rest,
  );
}

const rankExpressions: Readonly<Record<RankOrder, unknown>> = {
  verdict: choice(
    "$verdict",
    Object.entries(verdictRanks).map(([verdict, rank]) => [[verdict], rank] as const),
    null,
  ),
  findings: {
    $cond: [
      { $eq: ["$verdict", absentTexts.verdict] },
      null,
      {
        $sum: {
          $map: {
            input: `$${fieldOfList("code")}`,
            as: "one",
            in: choice(
              "$$one",
              codeWeights.map(({ codes, weight }) => [codes, weight] as const),
              otherWeight,
            ),
          },
        },
      },
    ],
  },
  stages_missing: {
    $cond: [
      { $eq: [profiles, []] },
      null,
      {
        $add: [
          ...requiredStages.map(({ kind, profiles: own }) => ({
            $cond: [
              {
                $and: [
                  { $ne: [{ $setIntersection: [profiles, own] }, []] },
                  { $not: [{ $in: [kind, `$${fieldOfList("event_kind")}`] }] },
                ],
              },
              1,
              0,
            ],
          })),
          { $size: { $setDifference: [profiles, knownProfiles] } },
        ],
      },
    ],
  },
};

/** Documents of a page and one more, with their `record`. */
export async function orderedDocuments(
  collection: Collection<Document>,
  query: TurnQuery,
  page: {
    readonly order: TurnOrder;
    readonly limit: number;
    readonly after?: TurnPosition | undefined;
  },
): Promise<readonly Document[]> {
  const { order, limit, after } = page;
  const passed = filterOf(query);
  const rows: Document[] = [];
  for (const { filter, sort } of partsOf(order, after)) {
    if (rows.length > limit) break;
    const wanted = limit + 1 - rows.length;
    const more = isRankOrder(order.by)
      ? collection.aggregate(
          [
            { $match: passed },
            { $project: { record: 1, [order.by]: rankExpressions[order.by] } },
            { $match: filter },
            { $sort: sort },
            { $limit: wanted },
          ],
          { allowDiskUse: true },
        )
      : collection
          .find({ $and: [passed, filter] }, { projection: { record: 1 } })
          .sort(sort)
          .limit(wanted);
    rows.push(...(await more.toArray()));
  }
  return rows;
}

interface Part {
  readonly filter: Filter<Document>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

/** Values of a field that mean that it is unknown. */
function unknownValues(by: OrderField): readonly (string | null)[] {
  const absent = isTextOrder(by) ? absentTexts[by] : undefined;
  return absent === undefined ? [null] : [null, absent];
}

function partsOf({ by, ascending }: TurnOrder, after: TurnPosition | undefined): readonly Part[] {
  const values = unknownValues(by);
  const known: Filter<Document> = { [by]: { $nin: values } };
  const unknown: Filter<Document> = { [by]: { $in: values } };
  const sort = { [by]: ascending === true ? 1 : -1, _id: -1 } as const;
  const rest = { filter: unknown, sort: { _id: -1 } } as const;
  if (after === undefined) return [{ filter: known, sort }, rest];
  const behind = { _id: { $lt: after.key as never } };
  if (after.value === null) return [{ ...rest, filter: { $and: [unknown, behind] } }];
  const beyond = { [by]: { [ascending === true ? "$gt" : "$lt"]: after.value } };
  const tied = { $and: [{ [by]: { $eq: after.value } }, behind] };
  return [{ filter: { $and: [known, { $or: [beyond, tied] }] }, sort }, rest];
}
