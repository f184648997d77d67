/**
 * @module EvidenceReads: the reads of a request path over batch files. Compatibility reads go
 * through all roots, native ones through those that the index leads to; from there on they are the
 * same.
 */
import type { EventQuery } from "@turnproof/evidence";

import type { EvidenceReader, SliceOptions } from "../evidence-store.ts";
import { keysetOf } from "../position.ts";
import { rootSlice } from "../root-slice.ts";
import type { EvidenceScope } from "../scope.ts";
import { bundleFilters, bundleItems, eventItems, eventSlice, mentionItems } from "../slice.ts";
import { rootItems } from "../slice.ts";
import type { ItemsOf } from "../slice.ts";
import { walk } from "../walk.ts";
import type { Walked } from "../walk.ts";
import type { BatchCatalog, RootEntry } from "./batch-catalog.ts";
import { termsOfRead } from "./index-terms.ts";
import { rootRounds } from "./root-rounds.ts";
import type { RootLoader } from "./root-rounds.ts";
import type { TermIndex } from "./term-index.ts";

/** The reads that this module serves. */
export type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root">;

/** What reads stand on. */
export interface ReadParts {
  readonly catalog: BatchCatalog;
  readonly load: RootLoader;
  /** Throws when the store was closed. */
  readonly open: () => void;
  /** Leads native reads; absent for compatibility reads. */
  readonly index?: TermIndex;
}

type Found<T> = Walked<T> & { readonly damaged: boolean };

type Search = <T>(
  itemsOf: ItemsOf<T>,
  terms: readonly number[],
  options: SliceOptions,
) => Promise<Found<T>>;

function searchOf({ catalog, load, open, index }: ReadParts): Search {
  return async (itemsOf, terms, options) => {
    open();
    await catalog.refresh();
    await index?.refresh();
    const roots = index === undefined ? catalog.newestFirst() : index.candidates(terms);
    let damaged = false;
    const rounds = rootRounds(roots, load, options, () => {
      damaged = true;
    });
    return { ...(await walk(rounds, itemsOf, options)), damaged };
  };
}

/** The reads over these parts. */
export function evidenceReads(parts: ReadParts): Reads {
  const { catalog, load, open } = parts;
  const search = searchOf(parts);
  const terms = (scope: EvidenceScope, query: EventQuery, id?: string): readonly number[] =>
    parts.index === undefined ? [] : termsOfRead(scope, query, id);
  return {
    page: async (scope, query, options) =>
      eventsOf(await search(eventItems(scope, query), terms(scope, query), options)),
    find: async (scope, id, query, options) =>
      eventsOf(await search(mentionItems(scope, query, id), terms(scope, query, id), options)),
    async turns(scope, query, options) {
      const found = await search(rootItems(scope, query), terms(scope, query), options);
      return {
        events: found.items.flatMap((item) => item.value.events),
        roots: found.items.map((item) => item.value.root),
        next: nextOf(found),
        bounded: found.bounded || found.damaged,
      };
    },
    async bundles(scope, query, options) {
      const narrowed = bundleFilters(query);
      const itemsOf = bundleItems(scope, narrowed);
      const found = await search(itemsOf, terms(scope, narrowed), options);
      const bundles = found.items.map((item) => item.value);
      return { bundles, next: nextOf(found), sourceRows: bundles.length, errors: [] };
    },
    async root(scope, rootTraceId, options) {
      open();
      await catalog.refresh();
      const entry: RootEntry | undefined = catalog.root(rootTraceId);
      if (entry === undefined) return rootSlice([], scope, options);
      const loaded = await load([entry]);
      return rootSlice(loaded.events, scope, options, loaded.damaged);
    },
  };
}

type Events = Awaited<ReturnType<EvidenceReader["page"]>>;

function eventsOf(found: Found<Parameters<typeof eventSlice>[0][number]["value"]>): Events {
  return { ...eventSlice(found.items, found.bounded || found.damaged), next: nextOf(found) };
}

function nextOf(found: Found<unknown>): Events["next"] {
  return found.next === null ? null : keysetOf(found.next);
}
