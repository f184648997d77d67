/**
 * @module ScopedReads: request reads over a source of settled roots. Providers differ in how they
 * find roots, never in the result of a read.
 */
import { groupBy, limits } from "@turnproof/semconv";

import type { EvidenceReader, EventSlice, SliceOptions } from "./evidence-store.ts";
import type { LegacyBundles, LegacyRows } from "./legacy/bundles.ts";
import { keysetOf } from "./position.ts";
import type { Position } from "./position.ts";
import { paced } from "./paced.ts";
import { rootSlice } from "./root-slice.ts";
import { checkScope } from "./scope.ts";
import type { Question } from "./evidence-question.ts";
import { settle } from "./settle.ts";
import type { Settled } from "./settle.ts";
import { bundleFilters, bundleItems, eventItems, eventSlice } from "./slice.ts";
import { mentionItems } from "./slice.ts";
import type { ItemsOf } from "./slice.ts";
import type { StoredEvent } from "./stored-event.ts";
import { walk } from "./walk.ts";
import type { Round, Walked } from "./walk.ts";

/** The reads of this module. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "bundles" | "root" | "roots">;

/** Source of settled roots; `cut` is called for roots that could not be read completely. */
export interface RootSource {
  /** Roots that may contain part of the answer, newest received first. */
  rounds(question: Question, options: SliceOptions, cut: () => void): AsyncIterable<Round>;
  /** The first rows of some roots in the order of receipt, as recorded; of each at most so many. */
  rows(roots: readonly string[], cut: () => void, rowsMax: number): Promise<readonly StoredEvent[]>;
  /** Bundles of earlier versions besides; absent without any. */
  readonly legacy?: LegacyBundles;
}

/** No event of a page comes before this position. */
const aboveAll: Position = {
  micros: Number.MAX_SAFE_INTEGER,
  seconds: 9_223_372_036,
  nanos: 854_775_807,
  key: "",
};

/** The rounds of a source, roots with legacy bundles first and complete. */
async function* roundsOf(
  source: RootSource,
  legacy: LegacyRows | undefined,
  requested: readonly [question: Question, options: SliceOptions, cut: () => void],
): AsyncGenerator<Round> {
  if (legacy === undefined || legacy.roots.size === 0) {
    yield* source.rounds(...requested);
    return;
  }
  const { roots } = legacy;
  const native = await source.rows([...roots.keys()], requested[2], limits.rootEventsMax);
  // Their items wait until everything newer has been read, as for any root.
  yield { events: settle([...native, ...[...roots.values()].flat()]), frontier: aboveAll };
  for await (const { events, frontier } of source.rounds(...requested)) {
    const others = events.filter(({ event }) => !roots.has(event.root_trace_id ?? ""));
    yield { events: others, frontier };
  }
}

/** The reads over these roots. */
export function scopedReads(source: RootSource): Reads {
  const search = async <T>(
    question: Question,
    itemsOf: ItemsOf<T>,
    options: SliceOptions,
  ): Promise<Found<T>> => {
    checkScope(question.scope);
    let cut = false;
    const onCut = (): void => {
      cut = true;
    };
    const legacy = await source.legacy?.read();
    const rounds = roundsOf(source, legacy, [question, options, onCut]);
    const walked = await walk(rounds, itemsOf, options);
    const bounded = walked.bounded || cut || legacy?.cut === true;
    return { ...walked, bounded, errors: legacy?.errors ?? [] };
  };
  return {
    async page(scope, query, options) {
      return eventsOf(await search({ scope, query }, eventItems(scope, query), options));
    },
    async find(scope, id, query, options) {
      const itemsOf = mentionItems(scope, query, id);
      return eventsOf(await search({ scope, query, id }, itemsOf, options));
    },
    async bundles(scope, query, options) {
      const narrowed = bundleFilters(query);
      const itemsOf = bundleItems(scope, narrowed);
      const walked = await search({ scope, query: narrowed }, itemsOf, options);
      const bundles = walked.items.map((item) => item.value);
      const { errors } = walked;
      return { bundles, next: nextOf(walked), sourceRows: bundles.length, errors };
    },
    async root(scope, rootTraceId, options) {
      checkScope(scope);
      options.signal?.throwIfAborted();
      let cut = false;
      const legacy = await source.legacy?.read();
      const rowsMax = Math.min(options.budgetRows ?? Infinity, limits.rootEventsMax);
      const rows = await source.rows(
        [rootTraceId],
        () => {
          cut = true;
        },
        rowsMax,
      );
      const own = legacy?.roots.get(rootTraceId) ?? [];
      const slice = rootSlice(settle([...rows, ...own]), scope, options, cut);
      return { ...slice, errors: legacy?.errors ?? [] };
    },
    roots: rootsOf(source),
  };
}

function rootsOf(source: RootSource): Reads["roots"] {
  return async (scope, ids, options) => {
    checkScope(scope);
    options.signal?.throwIfAborted();
    let cut = false;
    const legacy = await source.legacy?.read();
    const held = await source.rows(
      [...new Set(ids)],
      () => {
        cut = true;
      },
      limits.rootEventsMax,
    );
    // It is unknown which of them was cut, so each is read alone.
    if (cut || held.length > (options.budgetRows ?? limits.rootEventsMax)) return new Map();
    const rows = groupBy(held, (row) => row.root_trace_id ?? "");
    const slices = new Map<string, EventSlice>();
    const pass = paced();
    for (const id of ids) {
      await pass();
      const own = [...(rows.get(id) ?? []), ...(legacy?.roots.get(id) ?? [])];
      const slice = rootSlice(settle(own), scope, options);
      slices.set(id, { ...slice, errors: legacy?.errors ?? [] });
    }
    return slices;
  };
}

type Found<T> = Walked<T> & Pick<EventSlice, "errors">;

function eventsOf({ items, bounded, errors, ...walked }: Found<Settled>): EventSlice {
  return { ...eventSlice(items, bounded), next: nextOf(walked), errors };
}

function nextOf(walked: Pick<Walked<unknown>, "next">): EventSlice["next"] {
  return walked.next === null ? null : keysetOf(walked.next);
}
