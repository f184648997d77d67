/** @module Reader: the reads of a request path over the tables; each is one search for roots. */
import type { EventQuery } from "@turnproof/evidence";

import type { EvidenceReader, EventSlice, Keyset, SliceOptions } from "../evidence-store.ts";
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
import type { Engine } from "./connection.ts";
import { filtersOf, mentionFilter } from "./filter.ts";
import type { RootFilter, ScopeFilter } from "./filter.ts";
import { bucketsOfRoots } from "./locate.ts";
import { murmur32 } from "./murmur.ts";
import type { ReceiptSpans } from "./receipt-span.ts";
import { rootFeed } from "./root-feed.ts";
import type { Search } from "./root-feed.ts";
import { loadRoots } from "./root-loader.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { walk } from "../walk.ts";
import type { Walked } from "../walk.ts";

/** The reads that this module serves. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root">;

/** Columns that any row ever set, as far as the table says. */
export async function readTouched(engine: Engine): Promise<Set<string>> {
  const answer = await engine.query("SELECT DISTINCT toString(name) AS name FROM touched");
  return new Set((answer.columns.get("name") ?? []) as string[]);
}

/** What reads share with the writer of this process. */
export interface Known {
  readonly touched: Set<string>;
  readonly spans: ReceiptSpans;
}

/** The reads over an engine. */
export function reader(engine: Engine, known: Known, filterOfScope: ScopeFilter): Reads {
  const { touched } = known;
  const search = searcher(engine, known, filterOfScope);
  // A root shows a dozen events, but one or two of a kind: too few roots cost another round.
  const rootsForEvents = (limit: number, query: EventQuery): number => {
    const narrowed = query.event_kind ?? query.status ?? query.tool_name ?? query.task_id;
    return Math.max(16, Math.ceil(limit / (narrowed === undefined ? 8 : 2)));
  };
  return {
    async page(scope, query, options) {
      const itemsOf = eventItems(scope, query);
      const rootsFirst = rootsForEvents(options.limit, query);
      return eventsOf(await search(scope, query, options, { itemsOf, rootsFirst }));
    },
    async find(scope, id, query, options) {
      const itemsOf = mentionItems(scope, query, id);
      const also = (bind: Bindings): RootFilter => mentionFilter(id, touched, bind);
      const rootsFirst = rootsForEvents(options.limit, query);
      return eventsOf(await search(scope, query, options, { itemsOf, rootsFirst, also }));
    },
    async turns(scope, query, options) {
      const walked = await search(scope, query, options, {
        itemsOf: rootItems(scope, query),
        rootsFirst: options.limit + 1,
        rows: ["event_kind != 'span'"],
      });
      return {
        events: walked.items.flatMap((item) => item.value.events),
        roots: walked.items.map((item) => item.value.root),
        next: nextOf(walked),
        bounded: walked.bounded || walked.cut,
      };
    },
    async bundles(scope, query, options) {
      const narrowed = bundleFilters(query);
      const itemsOf = bundleItems(scope, narrowed);
      const rootsFirst = options.limit + 1;
      const walked = await search(scope, narrowed, options, { itemsOf, rootsFirst });
      const bundles = walked.items.map((item) => item.value);
      return { bundles, next: nextOf(walked), sourceRows: bundles.length, errors: [] };
    },
    async root(scope, rootTraceId, options) {
      await refresh(engine, touched);
      const buckets = await bucketsOfRoots(engine, [murmur32(rootTraceId)], options.signal);
      const loaded = await loadRoots(engine, touched, buckets, options.signal);
      const rows = loaded.rows.filter((row) => row.root_trace_id === rootTraceId);
      return rootSlice(settle(rows), scope, options, loaded.cut);
    },
  };
}

/** How one kind of read searches. */
interface Manner<T> {
  readonly itemsOf: ItemsOf<T>;
  readonly rootsFirst: number;
  readonly rows?: readonly string[];
  readonly also?: (bind: Bindings) => RootFilter;
}

type Found<T> = Walked<T> & { readonly cut: boolean };

type Searcher = <T>(
  scope: EvidenceScope,
  query: EventQuery,
  options: SliceOptions,
  manner: Manner<T>,
) => Promise<Found<T>>;

function searcher(engine: Engine, known: Known, filterOfScope: ScopeFilter): Searcher {
  const { touched, spans } = known;
  return async (scope, query, options, manner) => {
    await refresh(engine, touched);
    const bind = bindings();
    const filters = filtersOf(query, bind);
    const roots = [...filters.roots, ...filterOfScope(scope, bind)];
    if (manner.also !== undefined) roots.push(manner.also(bind));
    const wanted: Search = {
      filters: {
        ...filters,
        rows: [...filters.rows, ...(manner.rows ?? [])],
        roots,
        open: filters.open && roots.length === 0,
      },
      bind,
      rootsFirst: manner.rootsFirst,
      options,
      touched,
      receiptSpan: (signal) => spans.current(signal),
    };
    const walked = await walk(rootFeed(engine, wanted), manner.itemsOf, options);
    return { ...walked, cut: wanted.cut === true };
  };
}

/** Other writers of a server may have set columns that this process never saw. */
async function refresh(engine: Engine, touched: Set<string>): Promise<void> {
  if (!engine.embedded) for (const name of await readTouched(engine)) touched.add(name);
}

function eventsOf(walked: Found<Settled>): EventSlice {
  return {
    ...eventSlice(walked.items, walked.bounded || walked.cut),
    next: nextOf(walked),
  };
}

function nextOf(walked: Found<unknown>): Keyset | null {
  return walked.next === null ? null : keysetOf(walked.next);
}
