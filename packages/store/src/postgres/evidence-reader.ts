/** @module EvidenceReader: the reads of a request path over the tables. */
import type { EventQuery } from "@turnproof/evidence";

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
import type { Session } from "./database.ts";
import { evidenceFeed, loadRoots } from "./evidence-feed.ts";
import type { Search } from "./evidence-feed.ts";
import { mentionCondition, queryConditions, scopeConditions } from "./evidence-filter.ts";
import type { EvidenceConditions } from "./evidence-filter.ts";
import type { Bindings } from "./sql-text.ts";

/** The reads that this module serves. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root">;

/** The reads over a database. */
export function evidenceReader(session: Session): Reads {
  const search = async <T>(
    scope: EvidenceScope,
    query: EventQuery,
    options: SliceOptions,
    itemsOf: ItemsOf<T>,
    also: (bind: Bindings) => Partial<EvidenceConditions> = () => ({}),
  ): Promise<Found<T>> => {
    const wanted: Search = {
      options,
      rowsFirst: Math.max(32, options.limit * 2),
      conditions(bind) {
        const asked = queryConditions(query, bind);
        const more = also(bind);
        return {
          rows: [...asked.rows, ...(more.rows ?? [])],
          roots: [...scopeConditions(scope, bind), ...asked.roots, ...(more.roots ?? [])],
        };
      },
    };
    const walked = await walk(evidenceFeed(session, wanted), itemsOf, options);
    return { ...walked, cut: wanted.cut === true };
  };
  return {
    async page(scope, query, options) {
      return eventsOf(await search(scope, query, options, eventItems(scope, query)));
    },
    async find(scope, id, query, options) {
      const itemsOf = mentionItems(scope, query, id);
      const also = (bind: Bindings): Partial<EvidenceConditions> => ({
        roots: [mentionCondition(id, bind)],
      });
      return eventsOf(await search(scope, query, options, itemsOf, also));
    },
    async turns(scope, query, options) {
      const walked = await search(scope, query, options, rootItems(scope, query), () => ({
        rows: ["event_kind <> 'span'"],
      }));
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
      const loaded = await loadRoots(session, rootTraceId.isWellFormed() ? [rootTraceId] : []);
      return rootSlice(settle(loaded.rows), scope, options, loaded.cut);
    },
  };
}

type Found<T> = Walked<T> & { readonly cut: boolean };

function eventsOf(walked: Found<Settled>): EventSlice {
  return { ...eventSlice(walked.items, walked.bounded || walked.cut), next: nextOf(walked) };
}

function nextOf(walked: Found<unknown>): EventSlice["next"] {
  return walked.next === null ? null : keysetOf(walked.next);
}
