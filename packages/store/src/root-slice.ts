/** @module RootSlice: the events of one root in evidence order, oldest first, up to a limit. */
import { compareEvents, compareText } from "@turnproof/evidence";
import { compareTimes } from "@turnproof/semconv";

import type { EventSlice, Keyset, SliceOptions } from "./evidence-store.ts";
import { inScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";
import type { Settled } from "./settle.ts";
import { sliceCounts } from "./slice.ts";

/** The settled events of one root as a slice; `cut` means that not all of its rows were read. */
export function rootSlice(
  events: readonly Settled[],
  scope: EvidenceScope,
  options: SliceOptions,
  cut = false,
): EventSlice {
  const { after } = options;
  const rest = events
    .filter(
      (settled) =>
        inScope(settled.event, scope) && (after === undefined || isAfter(settled, after)),
    )
    .toSorted(compareSettled);
  const shown = rest.slice(0, options.limit);
  const last = shown.at(-1);
  const more = rest.length > shown.length;
  return {
    ...sliceCounts(shown, more || cut),
    events: shown.map(({ event }) => event),
    next: more && last !== undefined ? settledKeyset(last) : null,
  };
}

/**
 * Position in evidence order (vocabulary: Envelopes): timestamp, event id, and a tie-break for
 * equal ids.
 */
function settledKeyset({ event, position }: Settled): Keyset {
  return { timestamp: event.timestamp, event: event.event_id, key: position.key };
}

/** The key is a hash, made where it is read: of events with equal times and ids only. */
function compareSettled(a: Settled, b: Settled): number {
  return (
    compareEvents(a.event, b.event) || (a === b ? 0 : compareText(a.position.key, b.position.key))
  );
}

function isAfter({ event, position }: Settled, after: Keyset): boolean {
  const order =
    compareTimes(event.timestamp, String(after["timestamp"])) ||
    compareText(event.event_id, String(after["event"]));
  return order > 0 || (order === 0 && compareText(position.key, String(after["key"])) > 0);
}
