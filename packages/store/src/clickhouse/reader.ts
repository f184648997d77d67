/** @module Reader: the reads of a request path over the tables; each is one search for roots. */
import type { EventQuery } from "@turnproof/evidence";
import { groupBy, limits } from "@turnproof/semconv";

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
import { filtersOf } from "./filter.ts";
import type { ScopeFilter } from "./filter.ts";
import { withCalled } from "./locate-event.ts";
import { bucketsOfRoots } from "./locate.ts";
import { murmur32 } from "../bundle/murmur.ts";
import type { ReceiptSpans } from "./receipt-span.ts";
import { rootFeed } from "./root-feed.ts";
import type { Search } from "./round-loader.ts";
import { loadRoots } from "./root-loader.ts";
import { bindings } from "./sql-text.ts";
import { judgedRoots } from "./verdict-table.ts";
import { walk } from "../walk.ts";
import type { Walked } from "../walk.ts";

/** The reads that this module serves. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root" | "roots">;

/** Columns that any row ever set, as far as the table says. */
export async function readTouched(engine: Engine): Promise<Set<string>> {
  if (engine.shared !== undefined) return new Set(await engine.shared.touched());
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
  const sizes = rootSizes();
  const search = searcher(engine, known, filterOfScope, sizes);
  // A root shows a dozen events, but one or two of a kind: too few roots cost another round.
  const rootsForEvents = (limit: number, query: EventQuery): number => {
    const narrowed = query.event_kind ?? query.status ?? query.tool_name ?? query.task_id;
    const shown = narrowed === undefined ? Math.max(sizes.mean * 0.95, 1) : 2;
    return Math.max(8, Math.ceil((limit + 1) / shown));
  };
  return {
    async page(scope, query, options) {
      const itemsOf = eventItems(scope, query);
      const rootsFirst = rootsForEvents(options.limit, query);
      return eventsOf(await search(scope, query, options, { itemsOf, rootsFirst }));
    },
    async find(scope, id, query, options) {
      const itemsOf = mentionItems(scope, query, id);
      const rootsFirst = rootsForEvents(options.limit, query);
      return eventsOf(await search(scope, query, options, { itemsOf, rootsFirst, id }));
    },
    async turns(scope, query, options) {
      const { judged, signal } = options;
      const among =
        judged === undefined ? undefined : await judgedRoots(engine, scope, judged, signal);
      const walked = await search(scope, query, options, {
        itemsOf: rootItems(scope, query),
        rootsFirst: options.limit + 1,
        rows: ["event_kind != 'span'"],
        ...(among === undefined ? {} : { among: among.map(murmur32) }),
        // A reference is looked for in what is left out.
        folded: options.folded === true && query.resource_ref === undefined,
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
      const loaded = await loadRoots(engine, buckets, { touched, signal: options.signal });
      const rows = loaded.rows.filter((row) => row.root_trace_id === rootTraceId);
      return rootSlice(settle(rows), scope, options, loaded.cut);
    },
    async roots(scope, ids, options) {
      await refresh(engine, touched);
      const buckets = await bucketsOfRoots(engine, ids.map(murmur32), options.signal);
      const { budgetRows: rowsMax = limits.rootEventsMax, signal } = options;
      const loaded = await loadRoots(engine, buckets, { touched, signal, rowsMax });
      if (loaded.rows.length > rowsMax) return new Map();
      const rows = groupBy(loaded.rows, (row) => row.root_trace_id ?? "");
      return new Map(
        ids.map((id) => {
          const own = rows.get(id) ?? [];
          const cut = loaded.cut && own.length > limits.rootEventsMax;
          return [id, rootSlice(settle(own), scope, options, cut)];
        }),
      );
    },
  };
}

/** How one kind of read searches. */
interface Manner<T> {
  readonly itemsOf: ItemsOf<T>;
  readonly rootsFirst: number;
  readonly rows?: readonly string[];
  /** An id that some row of the root must say, or by which one is called. */
  readonly id?: string;
  /** Hashes of the only roots that come into question. */
  readonly among?: readonly number[];
  /** Only rows of turns are made of what is found. */
  readonly folded?: boolean;
}

type Found<T> = Walked<T> & { readonly cut: boolean };

type Searcher = <T>(
  scope: EvidenceScope,
  query: EventQuery,
  options: SliceOptions,
  manner: Manner<T>,
) => Promise<Found<T>>;

/** What roots were seen to hold lately: how many of them fill a page. */
interface RootSizes {
  readonly mean: number;
  note(roots: number, rows: number): void;
}

function rootSizes(): RootSizes {
  let mean = 8;
  return {
    get mean() {
      return mean;
    },
    note(roots, rows) {
      if (roots > 0) mean += (rows / roots - mean) / 8;
    },
  };
}

function searcher(
  engine: Engine,
  known: Known,
  filterOfScope: ScopeFilter,
  sizes: RootSizes,
): Searcher {
  const { touched, spans } = known;
  return async (scope, query, options, manner) => {
    await refresh(engine, touched);
    const bind = bindings();
    const filters = filtersOf(query, bind);
    const rootHashes = [...filters.rootHashes, ...filterOfScope(scope)];
    const also = manner.id === undefined ? [] : [murmur32(manner.id)];
    const wanted: Search = {
      filters: {
        ...filters,
        rows: [...filters.rows, ...(manner.rows ?? [])],
        rootHashes: [...rootHashes, ...also],
        sureHashes: [...filters.sureHashes, ...also],
        open: filters.open && rootHashes.length + also.length === 0,
      },
      bind,
      rootsFirst: manner.rootsFirst,
      ...(manner.among === undefined ? {} : { among: manner.among }),
      ...(manner.folded === true ? { folded: true } : {}),
      options,
      touched,
      noteSize: (roots, rows) => sizes.note(roots, rows),
      receiptSpan: (signal) => spans.current(signal),
    };
    const feed = rootFeed(engine, wanted);
    const onCut = (): void => void (wanted.cut = true);
    const rounds =
      manner.id === undefined
        ? feed
        : withCalled(engine, manner.id, { touched, options, rounds: feed, onCut });
    const walked = await walk(rounds, manner.itemsOf, options);
    return { ...walked, cut: wanted.cut === true };
  };
}

/** Other writers of a server may have set columns that this process never saw. */
async function refresh(engine: Engine, touched: Set<string>): Promise<void> {
  if (engine.embedded) return;
  for (const name of await readTouched(engine)) touched.add(name);
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
