/** @module WalkPages: follows `next` to the end, as a client does. */
import type { TurnEvent } from "@turnproof/evidence";

import type { EventSlice, Keyset, SliceOptions } from "../evidence-store.ts";

/** Most pages of a walk; more mean a loop. */
const pagesMax = 2_000;

/** Calls with the keyset of the previous page until there is none. */
export async function walkPages<S extends { readonly next: Keyset | null }>(
  read: (options: SliceOptions) => Promise<S>,
  options: SliceOptions,
): Promise<S[]> {
  const pages: S[] = [];
  let after: Keyset | undefined;
  for (;;) {
    const page = await read({ ...options, ...(after === undefined ? {} : { after }) });
    pages.push(page);
    if (page.next === null) return pages;
    // A keyset is part of a cursor, so it must survive JSON.
    after = JSON.parse(JSON.stringify(page.next)) as Keyset;
    if (pages.length > pagesMax) throw new RangeError("the pages do not end");
  }
}

/** The events of all pages, in order. */
export function eventsOf(pages: readonly EventSlice[]): TurnEvent[] {
  return pages.flatMap((page) => page.events);
}
