/**
 * @module Walk: builds a page of items from roots, newest first. A root may have items far older
 * than the row by which it was found, so an item waits until everything newer has been read.
 */
import type { SliceOptions } from "./evidence-store.ts";
import { comparePositions, positionOfKeyset } from "./position.ts";
import type { Position } from "./position.ts";
import type { Settled } from "./settle.ts";
import type { Item, ItemsOf } from "./slice.ts";

/** Some more settled roots; everything up to the frontier has been read, null: everything. */
export interface Round {
  readonly events: readonly Settled[];
  readonly frontier: Position | null;
}

/** A page of items. */
export interface Walked<T> {
  readonly items: readonly Item<T>[];
  /** Start of the next page, or null. */
  readonly next: Position | null;
  /** True when the rounds ended before the page was full and before everything was read. */
  readonly bounded: boolean;
}

/** Collects one page of items from the rounds. */
export async function walk<T>(
  rounds: AsyncIterable<Round>,
  itemsOf: ItemsOf<T>,
  options: SliceOptions,
): Promise<Walked<T>> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const { receivedFrom = -Infinity } = options;
  let held: Item<T>[] = [];
  let frontier: Position | null | undefined;
  for await (const round of rounds) {
    const found = itemsOf(round.events).filter(
      ({ position }) =>
        position.micros >= receivedFrom &&
        (after === undefined || comparePositions(position, after) > 0),
    );
    held.push(...found);
    // Nothing behind the bound is part of the walk.
    frontier =
      round.frontier !== null && round.frontier.micros < receivedFrom ? null : round.frontier;
    if (frontier === null || ready(held, frontier).length > options.limit) break;
  }
  held = ready(held, frontier ?? null).toSorted((a, b) => comparePositions(a.position, b.position));
  const items = held.slice(0, options.limit);
  if (held.length > options.limit) {
    return { items, next: items.at(-1)?.position ?? null, bounded: false };
  }
  // The budget ended the walk: the next page continues where this one stopped.
  return { items, next: frontier ?? null, bounded: frontier !== null && frontier !== undefined };
}

function ready<T>(items: Item<T>[], frontier: Position | null): Item<T>[] {
  if (frontier === null) return items;
  return items.filter((item) => comparePositions(item.position, frontier) <= 0);
}
