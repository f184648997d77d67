/** @module EvidenceReader: the reads of a request path over the collections. */
import type { EventQuery } from "@turnproof/evidence";
import type { Collection, Document } from "mongodb";

import type { EvidenceReader, EventSlice, SliceOptions } from "../evidence-store.ts";
import { keysetOf } from "../position.ts";
import { rootSlice } from "../root-slice.ts";
import type { EvidenceScope } from "../scope.ts";
import { settle } from "../settle.ts";
import type { Settled } from "../settle.ts";
import {
  bundleFilters,
  bundleItems,
  eventItems,
  eventSlice,
  mentionItems,
  rootItems,
} from "../slice.ts";
import type { ItemsOf } from "../slice.ts";
import { walk } from "../walk.ts";
import type { Walked } from "../walk.ts";
import { evidenceFeed, loadRoots } from "./evidence-feed.ts";
import type { Search } from "./evidence-feed.ts";
import { mentionCondition, queryConditions, scopeConditions } from "./evidence-filter.ts";
import type { EvidenceConditions } from "./evidence-filter.ts";
import { coded } from "./store-error.ts";

/** The reads that this module serves. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root">;

type Found<T> = Walked<T> & { readonly cut: boolean };

/** The reads over a collection of events. */
export function evidenceReader(events: Collection<Document>): Reads {
  const search = <T>(
    scope: EvidenceScope,
    query: EventQuery,
    options: SliceOptions,
    itemsOf: ItemsOf<T>,
    also: Partial<EvidenceConditions> = {},
  ): Promise<Found<T>> =>
    coded(async () => {
      const asked = queryConditions(query);
      const wanted: Search = {
        options,
        rowsFirst: Math.max(32, options.limit * 2),
        conditions: {
          rows: [...asked.rows, ...(also.rows ?? [])],
          roots: [...scopeConditions(scope), ...asked.roots, ...(also.roots ?? [])],
        },
      };
      const walked = await walk(evidenceFeed(events, wanted), itemsOf, options);
      return { ...walked, cut: wanted.cut === true };
    });
  return {
    async page(scope, query, options) {
      return eventsOf(await search(scope, query, options, eventItems(scope, query)));
    },
    async find(scope, id, query, options) {
      const also = { roots: [mentionCondition(id)] };
      return eventsOf(await search(scope, query, options, mentionItems(scope, query, id), also));
    },
    async turns(scope, query, options) {
      const also = { rows: [{ event_kind: { $ne: "span" } }] };
      const walked = await search(scope, query, options, rootItems(scope, query), also);
      return {
        events: walked.items.flatMap((item) => item.value.events),
        roots: walked.items.map((item) => item.value.root),
        next: nextOf(walked),
        bounded: walked.bounded || walked.cut,
      };
    },
    async bundles(scope, query, options) {
      const narrowed = bundleFilters(query);
      const walked = await search(scope, narrowed, options, bundleItems(scope, narrowed));
      const bundles = walked.items.map((item) => item.value);
      return { bundles, next: nextOf(walked), sourceRows: bundles.length, errors: [] };
    },
    async root(scope, rootTraceId, options) {
      options.signal?.throwIfAborted();
      const loaded = await coded(() => loadRoots(events, [rootTraceId]));
      return rootSlice(settle(loaded.rows), scope, options, loaded.cut);
    },
  };
}

function eventsOf(walked: Found<Settled>): EventSlice {
  return { ...eventSlice(walked.items, walked.bounded || walked.cut), next: nextOf(walked) };
}

function nextOf(walked: Found<unknown>): EventSlice["next"] {
  return walked.next === null ? null : keysetOf(walked.next);
}
