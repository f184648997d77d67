/** @module WaterfallElsewhere: spans and events that a turn names and does not contain. */
import type { TurnEvent } from "../event/event.ts";
import type { IdentityGroups } from "../event/identity-tuple.ts";
import { spanKey } from "../event/span-key.ts";
import type { EventPair } from "./waterfall-nodes.ts";

/** A group that names spans or events outside of it, by its number. */
export interface Waiting {
  readonly group: number;
  readonly pairs: readonly EventPair[];
}

/** Facts about the rest of a root: spans and events that some group names and does not contain. */
export interface Elsewhere {
  readonly spans: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
}

/** Finds the parents and causes outside of their group, root by root and only those needed. */
export function lookElsewhere(
  events: readonly TurnEvent[],
  groups: IdentityGroups,
  waiting: readonly Waiting[],
): (group: number) => Elsewhere {
  const wanted = new Map<number, { spans: Set<string>; events: Set<string> }>();
  const found = new Map<number, { spans: Set<string>; events: Set<string> }>();
  for (const { group, pairs } of waiting) {
    const trace = groups.traceOf[group] as number;
    let sets = wanted.get(trace);
    if (sets === undefined) {
      sets = { spans: new Set(), events: new Set() };
      wanted.set(trace, sets);
      found.set(trace, { spans: new Set(), events: new Set() });
    }
    for (const pair of pairs) {
      const { parent, cause } = pair;
      if (parent !== undefined && misses(pair)) sets.spans.add(parent);
      if (cause !== undefined) sets.events.add(cause);
    }
  }
  if (wanted.size > 0) {
    events.forEach((event, index) => {
      const trace = groups.traceOf[groups.groupOf[index] as number] as number;
      const sets = wanted.get(trace);
      if (sets === undefined) return;
      const span = spanKey(event);
      if (span !== undefined && sets.spans.has(span)) found.get(trace)?.spans.add(span);
      if (sets.events.has(event.event_id)) found.get(trace)?.events.add(event.event_id);
    });
  }
  return (group) => found.get(groups.traceOf[group] as number) ?? nowhere;
}

/** Nothing is known of the rest of the root. */
export const nowhere: Elsewhere = { spans: new Set(), events: new Set() };

/** True when the pair's parent is not in its group. */
export function misses({ parent, above }: EventPair): boolean {
  return parent !== undefined && above === undefined;
}
