/**
 * @module Clickhouse: evidence at scale. One provider over two connections: chDB embedded under a
 * data directory, and a server or cluster by URL.
 */
import type { EventQuery } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { EvidenceStore, EventSlice, SliceOptions } from "../evidence-store.ts";
import { keysetOf } from "../position.ts";
import { rootSlice } from "../root-slice.ts";
import type { EvidenceScope } from "../scope.ts";
import {
  bundleFilters,
  bundleItems,
  eventItems,
  eventSlice,
  mentionItems,
  rootItems,
} from "../slice.ts";
import type { ItemsOf } from "../slice.ts";
import type { Settled } from "../settle.ts";
import { settle } from "../settle.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { openEngine } from "./connection.ts";
import type { Engine } from "./connection.ts";
import { filtersOf, mentionFilter, scopeFilter } from "./filter.ts";
import type { RootFilter, ScopeFilter } from "./filter.ts";
import { inserter } from "./insert.ts";
import { migrate } from "./migration.ts";
import { readBack, quietRoots } from "./read-back.ts";
import { rootFeed } from "./root-feed.ts";
import type { Search } from "./root-feed.ts";
import { loadRoots } from "./root-loader.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { putVerdicts, readVerdicts } from "./verdict-table.ts";
import { walk } from "./walk.ts";
import type { Walked } from "./walk.ts";

/** How to open the provider. */
export interface ClickhouseOptions {
  readonly connection: ClickhouseConnection;
  /** Replaces the tenant filter in SQL. For tests of the tests only. */
  readonly scopeFilter?: ScopeFilter;
}

/**
 * Opens the evidence store and brings its tables to this version. Throws `store_locked` when another
 * process uses the data directory, `store_version_newer` for data of a newer build, and retryable
 * codes when the server does not answer.
 */
export async function clickhouse(options: ClickhouseOptions): Promise<EvidenceStore> {
  const { connection } = options;
  const engine = await openEngine(connection);
  try {
    await migrate(engine, "cluster" in connection ? connection.cluster : undefined);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return provider(engine, options.scopeFilter ?? scopeFilter);
}

async function provider(engine: Engine, filterOfScope: ScopeFilter): Promise<EvidenceStore> {
  const touched = await readTouched(engine);
  const writer = inserter(engine, touched);
  let closed = false;
  let pending: Promise<unknown> = Promise.resolve();
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  const read = reader(engine, touched, filterOfScope);
  const store: EvidenceStore = {
    name: engine.embedded ? "clickhouse embedded" : "clickhouse server",
    sources: ["trace", "conversation", "tool_log"],
    async append(batch) {
      open();
      const done = writer.insert(batch);
      pending = Promise.allSettled([pending, done]);
      await done;
    },
    readBack: (batchId, receivedAt) => readBack(engine, batchId, receivedAt),
    ...read,
    verdicts: (scope, roots) => readVerdicts(engine, scope, roots),
    putVerdicts: (verdicts) => putVerdicts(engine, verdicts),
    quietRoots: (since, before, limit) => quietRoots(engine, since, before, limit),
    async check() {
      const started = performance.now();
      try {
        open();
        await engine.query("SELECT 1 AS one FROM events LIMIT 1");
        return { ok: true, elapsedMs: performance.now() - started };
      } catch (error) {
        const code = CodedError.is(error) ? error.code : "store_unavailable";
        return { ok: false, code, elapsedMs: performance.now() - started };
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      // The engine must not be torn down under an insert (design 5.3).
      await pending;
      await engine.close();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  return store;
}

async function readTouched(engine: Engine): Promise<Set<string>> {
  const answer = await engine.query("SELECT DISTINCT toString(name) AS name FROM touched");
  return new Set((answer.columns.get("name") ?? []) as string[]);
}

type Reads = Pick<EvidenceStore, "page" | "find" | "turns" | "bundles" | "root">;

function reader(engine: Engine, touched: Set<string>, filterOfScope: ScopeFilter): Reads {
  async function search<T>(
    scope: EvidenceScope,
    query: EventQuery,
    options: SliceOptions,
    how: {
      readonly itemsOf: ItemsOf<T>;
      readonly rootsFirst: number;
      readonly rows?: readonly string[];
      readonly also?: (bind: Bindings) => RootFilter;
    },
  ): Promise<Walked<T> & { readonly cut: boolean }> {
    // Other writers of a server may have set columns that this process never saw.
    if (!engine.embedded) for (const name of await readTouched(engine)) touched.add(name);
    const bind = bindings();
    const filters = filtersOf(query, bind);
    const roots = [...filters.roots, ...filterOfScope(scope, bind)];
    if (how.also !== undefined) roots.push(how.also(bind));
    const wanted: Search = {
      filters: { ...filters, rows: [...filters.rows, ...(how.rows ?? [])], roots },
      bind,
      rootsFirst: how.rootsFirst,
      options,
      touched,
    };
    const walked = await walk(rootFeed(engine, wanted), how.itemsOf, options);
    return { ...walked, cut: wanted.cut === true };
  }

  const events = (walked: Walked<Settled> & { readonly cut: boolean }): EventSlice => ({
    ...eventSlice(walked.items, false, walked.bounded || walked.cut),
    next: walked.next === null ? null : keysetOf(walked.next),
  });
  const rootsForEvents = (limit: number): number => Math.max(16, Math.ceil(limit / 8));

  return {
    async page(scope, query, options) {
      const itemsOf = eventItems(scope, query);
      const rootsFirst = rootsForEvents(options.limit);
      return events(await search(scope, query, options, { itemsOf, rootsFirst }));
    },
    async find(scope, id, query, options) {
      const itemsOf = mentionItems(scope, query, id);
      const also = (bind: Bindings): RootFilter => mentionFilter(id, touched, bind);
      const rootsFirst = rootsForEvents(options.limit);
      return events(await search(scope, query, options, { itemsOf, rootsFirst, also }));
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
        next: walked.next === null ? null : keysetOf(walked.next),
        bounded: walked.bounded || walked.cut,
      };
    },
    async bundles(scope, query, options) {
      const narrowed = bundleFilters(query);
      const walked = await search(scope, narrowed, options, {
        itemsOf: bundleItems(scope, narrowed),
        rootsFirst: options.limit + 1,
      });
      const bundles = walked.items.map((item) => item.value);
      const next = walked.next === null ? null : keysetOf(walked.next);
      return { bundles, next, sourceRows: bundles.length, errors: [] };
    },
    async root(scope, rootTraceId, options) {
      if (!engine.embedded) for (const name of await readTouched(engine)) touched.add(name);
      const loaded = await loadRoots(engine, touched, [rootTraceId], options.signal);
      return rootSlice(settle(loaded.rows), scope, options, loaded.cut);
    },
  };
}
