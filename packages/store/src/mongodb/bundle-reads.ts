/** @module BundleReads: request reads over bundles in MongoDB. */
import { limits } from "@turnproof/semconv";
import type { Collection, Document, Filter } from "mongodb";

import { spanMicrosMax } from "../bundle/pack.ts";
import { rootRows } from "../bundle/root-rows.ts";
import type { NoteCut } from "../bundle/root-rows.ts";
import { rangeBounds } from "../bundle/own-range.ts";
import { hashesOfId, rootWords, rowWords } from "../bundle/bundle-words.ts";
import type { SliceOptions } from "../evidence-store.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import { positionOfKeyset } from "../position.ts";
import { firstRound, rootRounds } from "../root-rounds.ts";
import type { KnownRoot } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import type { EvidenceRequest } from "../evidence-request.ts";
import { settle } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Round } from "../walk.ts";
import { coded, storeError } from "./store-error.ts";

type Bundles = Collection<Document>;

/** Dependencies of reads besides the collection. */
export interface MongoReadParts {
  /** True while events of an earlier version are not copied: every read is bounded. */
  readonly pending: () => boolean;
  readonly legacy: LegacyBundles | undefined;
}

/** The reads over a collection of bundles, and over legacy bundles where there are some. */
export function bundleReads(bundles: Bundles, { pending, legacy }: MongoReadParts): Reads {
  return scopedReads({
    rounds(request, options, cut) {
      if (pending()) cut();
      return codedRounds(
        rootRounds(
          candidates(bundles, request, options),
          async (some) => {
            const roots = some.map(({ root }) => root);
            return settle(await rowsOf(bundles, roots, cut));
          },
          { ...options, ...firstRound(request, options.limit) },
        ),
      );
    },
    rows(roots, cut, rowsMax) {
      if (pending()) cut();
      return coded(() => rowsOf(bundles, roots, cut, rowsMax));
    },
    ...(legacy === undefined ? {} : { legacy }),
  });
}

async function* codedRounds(rounds: AsyncIterable<Round>): AsyncGenerator<Round> {
  try {
    yield* rounds;
  } catch (error) {
    throw storeError(error);
  }
}

/** Most roots that are named in the search itself; of more, each is looked up when it is read. */
const fewRoots = 2_000;
const rowsPerStep = 256;

/** Roots with a matching row, each once, at its newest such row. */
async function* candidates(
  bundles: Bundles,
  request: EvidenceRequest,
  options: SliceOptions,
): AsyncGenerator<KnownRoot> {
  const where = rowConditions(request, options);
  const many: (readonly number[])[] = [];
  for (const words of rootConditions(request)) {
    const roots = await rootsWith(bundles, words);
    if (roots.length > fewRoots) many.push(words);
    else where.push({ root_trace_id: { $in: roots } });
  }
  const found = bundles
    .find(where.length === 0 ? {} : { $and: where }, {
      projection: { root_trace_id: 1, first_us: 1, last_us: 1, events: 1 },
    })
    .sort({ last_us: -1, _id: -1 })
    .batchSize(rowsPerStep);
  const met = new Set<string>();
  let fresh: KnownRoot[] = [];
  for await (const row of found) {
    options.signal?.throwIfAborted();
    const root = String(row["root_trace_id"]);
    if (met.has(root)) continue;
    met.add(root);
    fresh.push({
      root,
      first: Number(row["first_us"]),
      last: Number(row["last_us"]),
      found: Number(row["events"] ?? 0),
    });
    if (many.length > 0 && fresh.length < rowsPerStep) continue;
    yield* await withAll(bundles, fresh, many);
    fresh = [];
  }
  yield* await withAll(bundles, fresh, many);
}

/** Sets of hashes; a root must have one of each set in some row. */
function rootConditions({ scope, query, id }: EvidenceRequest): readonly (readonly number[])[] {
  const words = rootWords(scope, query).map((hash) => [hash]);
  return id === undefined ? words : [...words, hashesOfId(id)];
}

async function rootsWith(bundles: Bundles, words: readonly number[]): Promise<string[]> {
  const rows = await bundles
    .aggregate([
      { $match: { words: { $in: [...words] } } },
      { $group: { _id: "$root_trace_id" } },
      { $limit: fewRoots + 1 },
    ])
    .toArray();
  return rows.map((row) => String(row["_id"]));
}

/** Those of the roots that have a word of each set. */
async function withAll(
  bundles: Bundles,
  roots: readonly KnownRoot[],
  sets: readonly (readonly number[])[],
): Promise<readonly KnownRoot[]> {
  let left = roots;
  for (const words of sets) {
    if (left.length === 0) return left;
    const requested = { $in: left.map(({ root }) => root) };
    const rows = await bundles
      .find(
        { root_trace_id: requested, words: { $in: [...words] } },
        { projection: { root_trace_id: 1 } },
      )
      .toArray();
    const held = new Set(rows.map((row) => String(row["root_trace_id"])));
    left = left.filter(({ root }) => held.has(root));
  }
  return left;
}

/** Conditions that a single row decides, and the start of a page. */
function rowConditions({ query }: EvidenceRequest, { after }: SliceOptions): Filter<Document>[] {
  const clauses: Filter<Document>[] = [];
  if (after !== undefined) {
    const { micros } = positionOfKeyset(after);
    // A row spans one minute of receipts at most.
    clauses.push({ first_us: { $lte: micros } }, { last_us: { $lte: micros + spanMicrosMax } });
  }
  if (query.root_trace_id !== undefined)
    clauses.push({ root_trace_id: { $eq: query.root_trace_id } });
  for (const hash of rowWords(query)) clauses.push({ words: { $eq: hash } });
  // A document of an older version has no range, which passes a negation.
  const { since, until } = rangeBounds(query);
  if (since !== undefined) clauses.push({ own_to: { $not: { $lt: since } } });
  if (until !== undefined) clauses.push({ own_from: { $not: { $gt: until } } });
  return clauses;
}

/** Roots whose rows are read at once. */
const rootsPerFind = 200;

/** All rows of these roots; `cut` is called for an unreadable body, and for too many rows. */
export async function rowsOf(
  bundles: Bundles,
  roots: readonly string[],
  cut: NoteCut,
  rowsMax: number = limits.rootEventsMax,
): Promise<readonly StoredEvent[]> {
  const rows = rootRows({ rowsMax, cut });
  for (let at = 0; at < roots.length; at += rootsPerFind) {
    const where = { root_trace_id: { $in: roots.slice(at, at + rootsPerFind) } };
    const found = bundles
      .find(where, { projection: { body: 1, root_trace_id: 1 } })
      .sort({ _id: 1 });
    for await (const row of found) rows.add(String(row["root_trace_id"]), String(row["body"]));
  }
  return rows.events;
}
