/**
 * @module ReconcileVersion: which deliveries of a resource name another version than the current
 * one (requirements: Reconciliation 3). The versions in deliveries of one instant are counted
 * once, whatever the number of artifacts.
 */
import type { TurnEvent } from "../event/event.ts";
import { shownOf } from "./finding-list.ts";
import type { Candidates } from "./reconcile-bench.ts";
import { producerOf } from "./reconcile-tied.ts";
import type { Producers } from "./reconcile-tied.ts";
import type { VersionCount } from "./reconcile-bench.ts";

/** The resource as its artifact names it. */
export interface Delivered {
  readonly ref: string;
  readonly types: ReadonlySet<string>;
  /** Versions of the artifact's latest records; each must be named. */
  readonly versions: ReadonlySet<string | undefined>;
}

/** Some latest deliveries, without those of `except`, that do not name the current versions. */
export function deliveredOtherwise(
  candidates: Candidates,
  except: Producers,
  delivered: Delivered,
): readonly TurnEvent[] {
  const { latest } = candidates;
  const counts = (candidates.versions ??= countVersions(latest.events, delivered));
  let wanted = latest.events.length;
  for (const producer of except) wanted -= latest.byProducer.get(producer)?.length ?? 0;
  const others = new Set<TurnEvent>();
  for (const version of delivered.versions) {
    const known = counts.get(version);
    let named = known?.count ?? 0;
    for (const producer of except) named -= known?.byProducer.get(producer) ?? 0;
    if (named === wanted) continue;
    for (const event of othersThan(candidates, delivered, version)) {
      if (!except.has(producerOf(event))) others.add(event);
    }
    // All versions looked up are excluded, so any of the rest is an example of another version.
    if (others.size === 0) for (const event of latest.shown) others.add(event);
  }
  return shownOf([...others]);
}

function versionsIn(delivery: TurnEvent, { ref, types }: Delivered): Set<string | undefined> {
  const named = new Set<string | undefined>();
  for (const input of delivery.input_refs ?? []) {
    if (input.ref === ref && types.has(input.resource_type)) named.add(input.version);
  }
  return named;
}

function countVersions(
  deliveries: readonly TurnEvent[],
  delivered: Delivered,
): Map<string | undefined, VersionCount> {
  const counts = new Map<string | undefined, VersionCount>();
  for (const delivery of deliveries) {
    const producer = producerOf(delivery);
    for (const version of versionsIn(delivery, delivered)) {
      let known = counts.get(version);
      if (known === undefined) {
        known = { count: 0, byProducer: new Map(), others: undefined };
        counts.set(version, known);
      }
      known.count += 1;
      known.byProducer.set(producer, (known.byProducer.get(producer) ?? 0) + 1);
    }
  }
  return counts;
}

function othersThan(
  { latest, versions }: Candidates,
  delivered: Delivered,
  version: string | undefined,
): readonly TurnEvent[] {
  const known = versions?.get(version);
  // No delivery names this version.
  if (known === undefined) return latest.shown;
  known.others ??= shownOf(
    latest.events.filter((event) => !versionsIn(event, delivered).has(version)),
  );
  return known.others;
}
