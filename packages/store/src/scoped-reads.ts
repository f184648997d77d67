/**
 * @module ScopedReads: the reads of a request path over whatever finds and settles roots. Providers
 * differ in how they find roots, never in what a read shows of them.
 */
import type { EvidenceReader, EventSlice, SliceOptions } from "./evidence-store.ts";
import { keysetOf } from "./position.ts";
import { rootSlice } from "./root-slice.ts";
import type { Question } from "./search-condition.ts";
import type { Settled } from "./settle.ts";
import { bundleFilters, bundleItems, eventItems, eventSlice } from "./slice.ts";
import { mentionItems, rootItems } from "./slice.ts";
import type { ItemsOf } from "./slice.ts";
import { walk } from "./walk.ts";
import type { Round, Walked } from "./walk.ts";

/** The reads that this module serves. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root">;

/** Where settled roots come from; `cut` is told of roots that could not be read whole. */
export interface RootSource {
  /** Roots that may hold part of the answer, newest received first. */
  rounds(question: Question, options: SliceOptions, cut: () => void): AsyncIterable<Round>;
  /** The settled events of one root. */
  root(rootTraceId: string, cut: () => void): Promise<readonly Settled[]>;
}

/** The reads over these roots. */
export function scopedReads(source: RootSource): Reads {
  const search = async <T>(
    question: Question,
    itemsOf: ItemsOf<T>,
    options: SliceOptions,
  ): Promise<Walked<T>> => {
    let cut = false;
    const rounds = source.rounds(question, options, () => {
      cut = true;
    });
    const walked = await walk(rounds, itemsOf, options);
    return { ...walked, bounded: walked.bounded || cut };
  };
  return {
    async page(scope, query, options) {
      return eventsOf(await search({ scope, query }, eventItems(scope, query), options));
    },
    async find(scope, id, query, options) {
      const itemsOf = mentionItems(scope, query, id);
      return eventsOf(await search({ scope, query, id }, itemsOf, options));
    },
    async turns(scope, query, options) {
      const question = { scope, query, evidenceOnly: true };
      const walked = await search(question, rootItems(scope, query), options);
      return {
        events: walked.items.flatMap((item) => item.value.events),
        roots: walked.items.map((item) => item.value.root),
        next: nextOf(walked),
        bounded: walked.bounded,
      };
    },
    async bundles(scope, query, options) {
      const narrowed = bundleFilters(query);
      const itemsOf = bundleItems(scope, narrowed);
      const walked = await search({ scope, query: narrowed }, itemsOf, options);
      const bundles = walked.items.map((item) => item.value);
      return { bundles, next: nextOf(walked), sourceRows: bundles.length, errors: [] };
    },
    async root(scope, rootTraceId, options) {
      options.signal?.throwIfAborted();
      let cut = false;
      const events = await source.root(rootTraceId, () => {
        cut = true;
      });
      return rootSlice(events, scope, options, cut);
    },
  };
}

function eventsOf(walked: Walked<Settled>): EventSlice {
  return { ...eventSlice(walked.items, walked.bounded), next: nextOf(walked) };
}

function nextOf(walked: Walked<unknown>): EventSlice["next"] {
  return walked.next === null ? null : keysetOf(walked.next);
}
