/** @module InsightsMemory: rules over memory supply. */
import type { TurnEvent } from "../event/event.ts";
import { groupByIdentity, membersOf } from "../event/identity-tuple.ts";
import { insightThresholds } from "./insight-table.ts";
import type { InsightMatch } from "./insight-table.ts";
import { isModelResult } from "./insights-model.ts";

/** Turns of other libraries have no memory supply. */
function isOurs(event: TurnEvent): boolean {
  const { dialect } = event;
  return dialect === undefined || dialect === "turnproof" || dialect === "legacy";
}

/** Missing, degraded and unreferenced supply (requirements: Memory supply). */
export function memoryInsights(events: readonly TurnEvent[]): InsightMatch[] {
  const found: InsightMatch[] = [];
  const missing = unsuppliedCalls(events);
  if (missing.length > 0) found.push({ code: "memory_supply_missing", evidence: missing });
  const degraded = events.filter(
    ({ event_kind, attributes }) =>
      (event_kind === "memory_supply" || event_kind === "memory_retrieval") &&
      (attributes.memory_degraded === true || attributes.memory_fallback_used === true),
  );
  if (degraded.length > 0) found.push({ code: "memory_supply_degraded", evidence: degraded });
  const unreferenced = unreferencedSupplies(events);
  if (unreferenced.length > 0) found.push({ code: "supply_unreferenced", evidence: unreferenced });
  return found;
}

/** Model results of our own turns that the cache did not answer and no supply precedes. */
function unsuppliedCalls(events: readonly TurnEvent[]): TurnEvent[] {
  const groups = groupByIdentity(events);
  const lacking: TurnEvent[] = [];
  groups.tuples.forEach((_, group) => {
    const turn = membersOf(events, groups, group);
    const excused = turn.some(
      ({ event_kind, attributes }) =>
        event_kind === "memory_supply" ||
        (event_kind === "cache_decision" && attributes.cache_decision === "hit"),
    );
    if (excused) return;
    for (const event of turn) if (isModelResult(event) && isOurs(event)) lacking.push(event);
  });
  return lacking;
}

/**
 * Supplies of at least that many items without a reference; unknown references do not count as
 * none.
 */
function unreferencedSupplies(events: readonly TurnEvent[]): TurnEvent[] {
  const supplies: TurnEvent[] = [];
  let items = 0;
  let measured = false;
  for (const event of events) {
    const { supplied_count, referenced_count } = event.attributes;
    if (event.event_kind !== "memory_supply" && event.event_kind !== "memory_reference") continue;
    if (referenced_count !== undefined) {
      if (referenced_count > 0) return [];
      measured = true;
    }
    if (event.event_kind !== "memory_supply" || (supplied_count ?? 0) === 0) continue;
    supplies.push(event);
    items += supplied_count ?? 0;
  }
  const many =
    supplies.length >= insightThresholds.unreferencedSuppliesMin &&
    items >= insightThresholds.unreferencedItemsMin;
  return many && measured ? supplies : [];
}
