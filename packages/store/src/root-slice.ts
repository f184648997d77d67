/** @module RootSlice: the events of one root in evidence order, oldest first, up to a limit. */
import { compareText, compareTimes } from "@turnproof/evidence";

import type { EventSlice, Keyset, SliceOptions } from "./evidence-store.ts";
import { inScope } from "./scope.ts";
import type { EvidenceScope } from "./scope.ts";
import type { Settled } from "./settle.ts";
import { eventSlice } from "./slice.ts";

/** The settled events of one root as a slice; `cut` means that not all of its rows were read. */
export function rootSlice(
  events: readonly Settled[],
  scope: EvidenceScope,
  options: SliceOptions,
  cut = false,
): EventSlice {
  const { after } = options;
  const rest = events
    .filter(({ event }) => inScope(event, scope))
    .toSorted((a, b) => compareMarks(markOf(a), markOf(b)))
    .filter((settled) => after === undefined || compareMarks(markOf(settled), after) > 0);
  const shown = rest.slice(0, options.limit);
  const last = shown.at(-1);
  const more = rest.length > shown.length;
  const items = shown.map((value) => ({ value, position: value.position }));
  return {
    ...eventSlice(items, more || cut),
    events: shown.map(({ event }) => event),
    next: more && last !== undefined ? { ...markOf(last) } : null,
  };
}

/**
 * Position in evidence order (vocabulary: Envelopes): timestamp, event id, and a tie-break for
 * equal ids.
 */
function markOf({ event, position }: Settled): Keyset {
  return { timestamp: event.timestamp, event: event.event_id, key: position.key };
}

function compareMarks(a: Keyset, b: Keyset): number {
  return (
    compareTimes(String(a["timestamp"]), String(b["timestamp"])) ||
    compareText(String(a["event"]), String(b["event"])) ||
    compareText(String(a["key"]), String(b["key"]))
  );
}
