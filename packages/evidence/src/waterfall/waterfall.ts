/**
 * @module Waterfall: the causal order of every turn in a window as rows of a tree grid
 * (requirements: Endpoints, Causal waterfall; evidence: Waterfall). A parent link proves neither
 * ownership nor quality: missing, circular or unmeasured nodes are flagged and kept.
 */
import { compareTuples, membersOf } from "../event/identity-tuple.ts";
import type { IdentityGroups, IdentityTuple } from "../event/identity-tuple.ts";
import { pairEvents } from "./waterfall-nodes.ts";
import { createTreeSpace } from "./waterfall-tree.ts";
import { readWindow } from "../normalize/window-events.ts";
import type { WindowEvents } from "../normalize/window-events.ts";
import { countFlags } from "./causal-waterfall.ts";
import type { CausalWaterfall } from "./causal-waterfall.ts";
import { buildGroup } from "./waterfall-group.ts";
import type { GroupPrimaries } from "./waterfall-group.ts";
import { misses, nowhere, lookElsewhere } from "./waterfall-elsewhere.ts";
import type { Waiting } from "./waterfall-elsewhere.ts";

/**
 * The causal waterfall of every turn in the window. Accepts any array; values that are no events
 * are counted and left out. Spans are paired within one (application, agent, user, thread, root,
 * turn) only; parents are looked up in the whole root of the same tenant. Linear except for
 * sorting.
 */
export function buildCausalWaterfall(events: readonly unknown[]): CausalWaterfall {
  return waterfallOf(readWindow(events));
}

/** The waterfall of a window that was read already. */
export function waterfallOf(window: WindowEvents): CausalWaterfall {
  const groups = buildGroups(window).map(({ group }) => group);
  return {
    groups,
    counts: countFlags(groups),
    rejected: window.rejected,
    duplicates_removed: window.duplicatesRemoved,
  };
}

/** The groups of a window that was read already, by earliest start. */
export function buildGroups({
  events,
  groups,
}: Pick<WindowEvents, "events" | "groups">): GroupPrimaries[] {
  const built: GroupPrimaries[] = [];
  const space = createTreeSpace(largestGroup(groups));
  const waiting: Waiting[] = [];
  // The working state of a turn is dropped with it, unless it names another turn's spans.
  for (let group = 0; group < groups.tuples.length; group += 1) {
    const pairs = pairEvents(membersOf(events, groups, group));
    const requests = pairs.some((pair) => pair.cause !== undefined || misses(pair));
    if (requests) waiting.push({ group, pairs });
    else built.push(buildGroup(groups.tuples[group] as IdentityTuple, pairs, nowhere, space));
  }
  const elsewhere = lookElsewhere(events, groups, waiting);
  for (const { group, pairs } of waiting) {
    const identity = groups.tuples[group] as IdentityTuple;
    built.push(buildGroup(identity, pairs, elsewhere(group), space));
  }
  // A group has at least one event, so it has an origin; equal origins are ordered by identity.
  return built.sort(
    (a, b) =>
      (a.group.origin_ms ?? 0) - (b.group.origin_ms ?? 0) ||
      compareTuples(a.group.identity, b.group.identity),
  );
}

function largestGroup({ starts }: IdentityGroups): number {
  let largest = 0;
  for (let group = 1; group < starts.length; group += 1) {
    const members = (starts[group] as number) - (starts[group - 1] as number);
    if (members > largest) largest = members;
  }
  return largest;
}
