/**
 * @module OrphanSpans: the spans of a turn whose parent is not in their trace (evidence: Health).
 */
import type { TurnEvent } from "../event/event.ts";
import { readWindow } from "../normalize/window-events.ts";
import { buildGroups } from "../waterfall/waterfall.ts";

/**
 * Finds the spans with a parent that is not among these events. A span is named by the event that
 * stands for it in the waterfall.
 *
 * @param events all events of one root
 * @returns the number of such spans among some of the events; undefined without a trace, in which
 *   a parent could be looked for
 */
export function orphanSpans(
  events: readonly TurnEvent[],
): (own: readonly TurnEvent[]) => number | undefined {
  if ((events[0]?.root_trace_id ?? "") === "") return () => undefined;
  if (!mayLackParent(events)) return () => 0;
  const lacking = new Set<string>();
  for (const { group } of buildGroups(readWindow(events))) {
    for (const node of group.nodes) if (node.missing_parent) lacking.add(node.event_id);
  }
  return (own) => own.reduce((sum, { event_id: id }) => sum + Number(lacking.has(id)), 0);
}

/** False for most roots, without a waterfall: every parent that is named is there. */
function mayLackParent(events: readonly TurnEvent[]): boolean {
  const spans = new Set<string>();
  for (const { span_id: id } of events) if (id !== undefined) spans.add(id);
  return events.some(({ parent_span_id: id }) => id !== undefined && !spans.has(id));
}
