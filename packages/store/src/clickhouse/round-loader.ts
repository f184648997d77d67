/**
 * @module RoundLoader: what a search wants, and one round of it: some roots by their hashes, loaded
 * whole and settled, and how far back the rounds until then reach.
 */
import type { SliceOptions } from "../evidence-store.ts";
import type { Position } from "../position.ts";
import { settle } from "../settle.ts";
import type { Settled } from "../settle.ts";
import type { Round } from "../walk.ts";
import type { Engine } from "./connection.ts";
import type { Filters } from "./filter.ts";
import type { RootBuckets } from "./locate.ts";
import { murmur32 } from "../bundle/murmur.ts";
import type { ReceiptSpan } from "./receipt-span.ts";
import { loadRoots } from "./root-loader.ts";
import type { Bindings } from "./sql-text.ts";

/** What to look for. */
export interface Search {
  readonly filters: Filters;
  readonly bind: Bindings;
  /** Roots to meet in the first round; later rounds double it. */
  readonly rootsFirst: number;
  /** Hashes of the only roots that come into question, where they are known beforehand. */
  readonly among?: readonly number[];
  readonly options: SliceOptions;
  readonly touched: ReadonlySet<string>;
  /** Only rows of turns are made of what is found. */
  readonly folded?: boolean;
  /** First and last received time of all rows, in microseconds; undefined when there is none. */
  readonly receiptSpan: (signal?: AbortSignal) => Promise<ReceiptSpan | undefined>;
  /** Told how many rows the roots of a round held. */
  readonly noteSize?: (roots: number, rows: number) => void;
  /** Set when a root was too large to be read whole. */
  cut?: boolean;
}

/** Roots that one round loads at most, unless nothing tells the order of more. */
export const rootsPerRoundMax = 1_000;
/** Later than any time of an event. */
export const endOfTime = 9_223_372_036_854_775_807n;

/** A round that found nothing, and the last. */
export const nothing: Round = { events: [], frontier: null };

/** Loads these roots. Where `folded`, without what rows of turns do not say. */
export async function loadRound(
  engine: Engine,
  search: Search,
  buckets: RootBuckets,
  frontier: Position | null,
): Promise<Round> {
  const { touched, options, folded = false } = search;
  const loading = { touched, signal: options.signal };
  const loaded = await loadRoots(engine, buckets, { ...loading, folded });
  if (loaded.cut) search.cut = true;
  search.noteSize?.(buckets.size, loaded.rows.length);
  const events = settle(loaded.rows);
  if (!folded || events.length === loaded.rows.length) return { events, frontier };
  // Which copy of an event holds is told by all that each of them says.
  const copied = new Set(events.filter(({ copies }) => copies > 1).map(rootHash));
  const again = new Map([...buckets].filter(([root]) => copied.has(root)));
  const whole = settle((await loadRoots(engine, again, loading)).rows);
  return { events: [...events.filter((one) => !copied.has(rootHash(one))), ...whole], frontier };
}

function rootHash({ event }: Settled): number {
  return murmur32(event.root_trace_id ?? "");
}
