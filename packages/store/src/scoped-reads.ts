/**
 * @module ScopedReads: request reads over a source of settled roots. Providers differ in how they
 * find roots, never in the result of a read.
 */
import type { NormalizationError } from "@turnproof/evidence";
import { groupBy, limits } from "@turnproof/semconv";

import type { NoteCut } from "./bundle/root-rows.ts";
import type { EvidenceReader, EventSlice, SliceOptions } from "./evidence-store.ts";
import type { LegacyBundles, LegacyRows } from "./legacy/bundles.ts";
import { keysetOf } from "./position.ts";
import type { Position } from "./position.ts";
import { paced } from "./paced.ts";
import { rootSlice } from "./root-slice.ts";
import { checkScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";
import type { EvidenceRequest } from "./evidence-request.ts";
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
  rounds(request: EvidenceRequest, options: SliceOptions, cut: NoteCut): AsyncIterable<Round>;
  /** The first rows of some roots in the order of receipt, as recorded; of each at most so many. */
  rows(roots: readonly string[], cut: NoteCut, rowsMax: number): Promise<readonly StoredEvent[]>;
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
  requested: readonly [request: EvidenceRequest, options: SliceOptions, cut: NoteCut],
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
    request: EvidenceRequest,
    itemsOf: ItemsOf<T>,
    options: SliceOptions,
    note?: (rounds: AsyncIterable<Round>) => AsyncIterable<Round>,
  ): Promise<SearchedSlice<T>> => {
    checkScope(request.scope);
    const noted = notedCuts();
    const legacy = await source.legacy?.read();
    const found = roundsOf(source, legacy, [request, options, noted.cut]);
    const rounds = note?.(found) ?? found;
    const walked = await walk(rounds, itemsOf, options);
    const bounded = walked.bounded || noted.any() || legacy?.cut === true;
    return { ...walked, bounded, ...noted.found(legacy) };
  };
  return {
    async page(scope, query, options) {
      const kept = options.onRoots === undefined ? undefined : new KeptRounds(scope);
      const itemsOf = eventItems(scope, query);
      const walked = await search({ scope, query }, itemsOf, options, kept?.note);
      options.onRoots?.((id) => (walked.bounded ? undefined : kept?.root(id)));
      return eventsOf(walked);
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
      const { errors, damagedRoots } = walked;
      const rest = { sourceRows: bundles.length, errors, damagedRoots };
      return { bundles, next: nextOf(walked), ...rest };
    },
    async root(scope, rootTraceId, options) {
      checkScope(scope);
      options.signal?.throwIfAborted();
      const noted = notedCuts();
      const legacy = await source.legacy?.read();
      const rowsMax = Math.min(options.budgetRows ?? Infinity, limits.rootEventsMax);
      const rows = await source.rows([rootTraceId], noted.cut, rowsMax);
      const own = legacy?.roots.get(rootTraceId) ?? [];
      const slice = rootSlice(settle([...rows, ...own]), scope, options, noted.any());
      return { ...slice, ...noted.found(legacy) };
    },
    roots: rootsOf(source),
  };
}

/** Rounds that a walk keeps: items of one are part of a page once the next one is read. */
const roundsKept = 3;

/** The last rounds of a walk. Each root is whole in a round. */
class KeptRounds {
  private readonly scope: EvidenceScope;
  private rounds: (readonly Settled[])[] = [];

  constructor(scope: EvidenceScope) {
    this.scope = scope;
  }

  readonly note = async function* noteRounds(
    this: KeptRounds,
    rounds: AsyncIterable<Round>,
  ): AsyncGenerator<Round> {
    for await (const round of rounds) {
      this.rounds = [...this.rounds.slice(1 - roundsKept), round.events];
      yield round;
    }
  }.bind(this);

  root(id: string): EventSlice | undefined {
    for (const round of this.rounds) {
      const events = round.filter(({ event }) => event.root_trace_id === id);
      if (events.length === 0) continue;
      return rootSlice(events, this.scope, { limit: limits.rootEventsMax });
    }
    return undefined;
  }
}

function rootsOf(source: RootSource): Reads["roots"] {
  return async (scope, ids, options) => {
    checkScope(scope);
    options.signal?.throwIfAborted();
    const noted = notedCuts();
    const legacy = await source.legacy?.read();
    const { budgetRows = limits.rootEventsMax } = options;
    // Of a root beyond the budget no more is read than shows that it is.
    const rowsMax = Math.min(budgetRows, limits.rootEventsMax);
    const held = await source.rows([...new Set(ids)], noted.cut, rowsMax);
    // It is unknown which of them was cut, so each is read alone.
    if (noted.any() || held.length > budgetRows) return new Map();
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

type SearchedSlice<T> = Walked<T> & Unreadable;

/** What a read could not decode. */
type Unreadable = Pick<EventSlice, "errors" | "damagedRoots">;

/** Notes what a read left out. */
function notedCuts(): {
  readonly cut: NoteCut;
  /** True where anything was left out. */
  any(): boolean;
  found(legacy: LegacyRows | undefined): Unreadable;
} {
  let isCut = false;
  const damaged = new Set<string>();
  return {
    cut(root) {
      isCut = true;
      if (root !== undefined) damaged.add(root);
    },
    any: () => isCut,
    found(legacy) {
      const errors = legacy?.errors ?? [];
      const count = damaged.size;
      const own: NormalizationError = { code: "store_corrupt", count, source_store: "trace" };
      return count === 0 ? { errors } : { errors: [...errors, own], damagedRoots: [...damaged] };
    },
  };
}

function eventsOf({
  items,
  bounded,
  errors,
  damagedRoots,
  ...walked
}: SearchedSlice<Settled>): EventSlice {
  return { ...eventSlice(items, bounded), next: nextOf(walked), errors, damagedRoots };
}

function nextOf(walked: Pick<Walked<unknown>, "next">): EventSlice["next"] {
  return walked.next === null ? null : keysetOf(walked.next);
}
