/**
 * @module WholeRoots: which traces with a missing parent are in the read rows with all of their
 * events, so that the parent is missing and not only unread.
 */
import { parentlessRoots } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

import type { Reading } from "../../access/grants.ts";
import type { Parts } from "../../parts.ts";
import { collectRoot, collectRoots } from "../../turns/window.ts";
import type { SettledMark, Window } from "../../turns/window.ts";

/** Most traces that are read again. */
const wholeRootsMax = 32;

/** What was read, and by whom. */
interface ReadRows {
  readonly reading: Reading;
  readonly settled: SettledMark;
  readonly events: readonly TurnEvent[];
}

/** Those traces with a missing parent whose events are all in the window. */
export async function wholeRoots(
  parts: Parts,
  { reading, settled, events }: ReadRows,
): Promise<ReadonlySet<string>> {
  const roots = parentlessRoots(events).slice(0, wholeRootsMax);
  if (roots.length === 0) return new Set();
  const held = new Set(events.map(({ root_trace_id, event_id }) => `${root_trace_id} ${event_id}`));
  const unfiltered = { scope: reading.scope, query: { store: "all" } } as const;
  const together = { rowsMax: 2 * events.length + 1, settled };
  const windows = await collectRoots(parts, unfiltered, roots, together);
  // More than all that was read is enough to find an event of a root that was not.
  const few = { rowsMax: events.length + 1, settled };
  const whole = new Set<string>();
  for (const root of roots) {
    const isHeld = ({ event_id: id }: TurnEvent): boolean => held.has(`${root} ${id}`);
    const isAll = (window: Window): boolean => window.events.every(isHeld);
    let window = windows.get(root);
    // The tenant of an event may change with the rest: a part decides for readers of all tenants.
    if (window === undefined && readsAll(reading)) {
      const part = await collectRoot(parts, unfiltered, root, few);
      if (!part.bounded || !isAll(part)) window = part;
    }
    window ??= await collectRoot(parts, unfiltered, root, { settled });
    if (window.complete && isAll(window)) whole.add(root);
  }
  return whole;
}

function readsAll({ scope }: Reading): boolean {
  return "operator" in scope && scope.operator.applicationId === undefined;
}
