/**
 * @module TurnFigures: facets, figures of turns and of calls as pipelines. Percentiles are
 * selected by rank among the sorted durations, because `$percentile` only estimates them.
 */
import type { TurnCall } from "@turnproof/evidence";
import type { Collection, Document } from "mongodb";

import { isCallOwn } from "../ledger/call-usage.ts";
import { callFiguresOf, figureGroupsOf } from "../ledger/figure-rows.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, StoredTime, TextField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallFigures,
  CallOptions,
  FigureGroup,
  FigureOptions,
  TurnFacet,
  TurnQuery,
} from "../ledger/turn-query.ts";
import { isStated, usageIn } from "./call-usage.ts";
import { coded } from "./store-error.ts";
import { fieldOfList } from "./turn-documents.ts";
import { filterOf } from "./turn-filter.ts";

/** Stages that give one document for each value of a turn. */
export function unwound(field: TextField | ListField): readonly Document[] {
  if (!isListField(field)) return [];
  return [{ $unwind: { path: `$${fieldOfList(field)}`, preserveNullAndEmptyArrays: true } }];
}

/** The value of such a document; null without one. */
export function valueOf(field: TextField | ListField): Document {
  return { $ifNull: [`$${isListField(field) ? fieldOfList(field) : field}`, null] };
}

/** The documents of a pipeline. */
export async function request(
  collection: Collection<Document>,
  { signal }: TurnQuery,
  pipeline: readonly Document[],
): Promise<readonly Document[]> {
  signal?.throwIfAborted();
  return coded(() => collection.aggregate([...pipeline], { allowDiskUse: true }).toArray());
}

/** The values of a field with their counts. */
export async function facetOf(
  collection: Collection<Document>,
  query: TurnQuery,
  field: TextField | ListField,
  valuesMax: number,
): Promise<TurnFacet> {
  const [found] = await request(collection, query, [
    { $match: filterOf(query) },
    ...unwound(field),
    { $group: { _id: valueOf(field), turns: { $sum: 1 } } },
    {
      $facet: {
        values: [{ $sort: { turns: -1, _id: 1 } }, { $limit: valuesMax }],
        total: [{ $count: "values" }],
      },
    },
  ]);
  const { values, total } = found as {
    readonly values: readonly { readonly _id: string | null; readonly turns: number }[];
    readonly total: readonly { readonly values: number }[];
  };
  return {
    field,
    values: values.map(({ _id: value, turns }) => ({ value, turns: Number(turns) })),
    total: Number(total[0]?.values ?? 0),
  };
}

/**
 * The sum of a field with the number of documents that have it; the engine sums no values to 0.
 */
function summed(name: string, field: string, also?: string): Document {
  const known = { $and: [isKnown(field), ...(also === undefined ? [] : [isKnown(also)])] };
  return {
    [`${name}_sum`]: { $sum: { $cond: [known, `$${field}`, 0] } },
    [`${name}_known`]: { $sum: { $cond: [known, 1, 0] } },
  };
}

function isKnown(field: string): Document {
  return isStated(`$${field}`);
}

/** Number of documents that meet a condition. */
export function countIf(condition: Document | string): Document {
  return { $sum: { $cond: [condition, 1, 0] } };
}

const hasNoTokens: Document = {
  $not: [{ $or: [isKnown("input_tokens"), isKnown("output_tokens")] }],
};

const shares = [
  ["p50_ms", 0.5],
  ["p95_ms", 0.95],
  ["p99_ms", 0.99],
] as const;

/** Durations at the ranks of the percentiles, in documents with their group. */
const percentileStages: readonly Document[] = [
  { $match: { duration_ms: { $ne: null } } },
  {
    $setWindowFields: {
      partitionBy: "$group",
      sortBy: { duration_ms: 1 },
      output: {
        nth: { $documentNumber: {} },
        all: { $sum: 1, window: { documents: ["unbounded", "unbounded"] } },
      },
    },
  },
  {
    $group: {
      _id: "$group",
      ...Object.fromEntries(
        shares.map(([name, share]) => {
          const rank = { $max: [1, { $ceil: { $multiply: [share, "$all"] } }] };
          const there = { $eq: ["$nth", rank] };
          return [name, { $max: { $cond: [there, "$duration_ms", null] } }];
        }),
      ),
    },
  },
];

/** One document per group: its key, the sums, and empty sums as null. */
async function grouped(
  collection: Collection<Document>,
  query: TurnQuery,
  stages: readonly Document[],
  sums: Document,
): Promise<readonly FigureRow[]> {
  const [groups, percentiles] = await Promise.all([
    request(collection, query, [...stages, { $group: { _id: "$group", ...sums } }]),
    request(collection, query, [...stages, ...percentileStages]),
  ]);
  const keyOf = ({ _id }: Document): string => JSON.stringify(_id);
  const ranks = new Map(percentiles.map((row) => [keyOf(row), row]));
  return groups.map((row) => {
    const unknown = Object.keys(row).filter(
      (name) => name.endsWith("_sum") && !row[name.replace(/_sum$/, "_known")],
    );
    const nulls = Object.fromEntries(unknown.map((name) => [name, null]));
    return { ...ranks.get(keyOf(row)), ...row, ...nulls, ...(row["_id"] as Document) };
  });
}

function stretchOf(everyMs: number, time: StoredTime = "ended_at"): Document {
  return { $floor: { $divide: [{ $ifNull: [`$${time}`, 0] }, everyMs * 1_000] } };
}

/** Figures by value and interval. */
export async function figuresOf(
  collection: Collection<Document>,
  query: TurnQuery,
  options: FigureOptions,
): Promise<readonly FigureGroup[]> {
  const { by, everyMs, time } = options;
  const stretch = everyMs === undefined ? { $literal: 0 } : stretchOf(everyMs, time);
  const group = { value: by === undefined ? { $literal: null } : valueOf(by), stretch };
  const stages = [
    { $match: filterOf(query) },
    ...(by === undefined ? [] : unwound(by)),
    { $set: { group } },
  ];
  const sums = {
    turns: { $sum: 1 },
    errors: countIf("$has_error"),
    duration_unknown: countIf({ $not: [isKnown("duration_ms")] }),
    ...summed("tool_results", "tool_results"),
    ...summed("tool_limited", "tool_limited"),
    ...summed("tool_failed", "tool_failed"),
    ...summed("input", "input_tokens"),
    ...summed("output", "output_tokens"),
    input_unknown: countIf({ $not: [isKnown("input_tokens")] }),
    output_unknown: countIf({ $not: [isKnown("output_tokens")] }),
    tokens_unknown: countIf(hasNoTokens),
    ...summed("cached", "cached_tokens", "input_tokens"),
    ...summed("cached_of", "input_tokens", "cached_tokens"),
    cached_unknown: countIf({
      $not: [{ $and: [isKnown("input_tokens"), isKnown("cached_tokens")] }],
    }),
    first_at: { $min: "$ended_at" },
    last_at: { $max: "$ended_at" },
  };
  const counted = { _id: { group: "$group", verdict: "$verdict" }, turns: { $sum: 1 } };
  const [groups, verdicts] = await Promise.all([
    grouped(collection, query, stages, sums),
    request(collection, query, [...stages, { $group: counted }]),
  ]);
  const stated = verdicts.map(({ _id: key, turns }) => {
    const { group: own, verdict } = key as { readonly group: Document; readonly verdict: string };
    return { ...own, verdict, turns: Number(turns) };
  });
  return figureGroupsOf(groups, stated, options);
}

/** Figures of calls by fields of the call or of its turn. */
export async function callsOf(
  collection: Collection<Document>,
  query: TurnQuery,
  requested: {
    readonly kind: TurnCall["kind"];
    readonly by: readonly CallField[];
    readonly options?: CallOptions | undefined;
  },
): Promise<readonly CallFigures[]> {
  const { kind, by, options = {} } = requested;
  const { everyMs, inputSteps } = options;
  const group = Object.fromEntries(by.map((field) => [`by_${field}`, callValue(field)]));
  const stages = [
    { $match: filterOf(query) },
    ...(by.includes("release") ? unwound("release") : []),
    { $unwind: "$calls" },
    { $match: { "calls.kind": { $eq: kind } } },
    {
      $project: {
        group: {
          whole: { $literal: 1 },
          ...group,
          ...(everyMs === undefined ? {} : { stretch: stretchOf(everyMs) }),
          ...(inputSteps === undefined ? {} : usageKeys(inputSteps)),
        },
        outcome: { $ifNull: ["$calls.outcome", "unknown"] },
        duration_ms: "$calls.duration_ms",
        input_tokens: "$calls.input_tokens",
        output_tokens: "$calls.output_tokens",
        cached_tokens: "$calls.cached_tokens",
        cache_write_tokens: "$calls.cache_write_tokens",
        reasoning_tokens: "$calls.reasoning_tokens",
      },
    },
  ];
  const sums = {
    calls: { $sum: 1 },
    duration_unknown: countIf({ $not: [isKnown("duration_ms")] }),
    ...summed("input", "input_tokens"),
    ...summed("output", "output_tokens"),
    ...summed("cached", "cached_tokens"),
    ...summed("write", "cache_write_tokens"),
    ...summed("reasoning", "reasoning_tokens"),
    tokens_unknown: countIf(hasNoTokens),
  };
  const counted = { _id: { group: "$group", stated: "$outcome" }, calls: { $sum: 1 } };
  const [groups, outcomes] = await Promise.all([
    grouped(collection, query, stages, sums),
    request(collection, query, [...stages, { $group: counted }]),
  ]);
  const stated = outcomes.map(({ _id: key, calls }) => {
    const { group: own, stated: word } = key as {
      readonly group: Document;
      readonly stated: string;
    };
    return { ...own, stated: word, calls: Number(calls) };
  });
  return callFiguresOf(groups, stated, by, options);
}

function callValue(field: CallField): Document {
  return isCallOwn(field) ? { $ifNull: [`$calls.${field}`, null] } : valueOf(field);
}

/** What the price of a call depends on, as parts of its group. */
function usageKeys(steps: readonly number[]): Document {
  const { tier, step, known } = usageIn("$calls", steps);
  return { use_tier: tier, use_step: step, use_known: known };
}
