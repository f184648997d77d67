/**
 * @module Dedupe: reduces copies to one event (vocabulary: Envelopes). Copies share (application,
 * agent, user, thread, root, turn, event_id); for received spans (ingest principal, root,
 * event_id), so that one producer cannot replace another's events.
 */
import { addCopy, hasRevision, latest, noCopies, withRevision } from "./latest-content.ts";
import type { Copies } from "./latest-content.ts";
import type { TurnEvent } from "../event/event.ts";
import { haveDistinctIds, IdSlots } from "../event/id-slots.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { isSameTuple, partition, tupleFields } from "../event/identity-tuple.ts";
import type { Partition } from "../event/identity-tuple.ts";

/** Each event once, and the number of copies removed. */
export interface Deduplicated {
  /** In the order of first occurrence. */
  readonly events: TurnEvent[];
  readonly duplicatesRemoved: number;
  /** Number of inputs behind each event, itself included; parallel to `events`. */
  readonly copies: readonly number[];
}

/**
 * Keeps the latest content of every event and sets `revision` to the number of its distinct
 * contents. Input order decides nothing. A retry of an older content does not restore it, because a
 * content counts as received when it was first received. Identity must be resolved already
 * (`resolveEvents`).
 */
export function dedupeEvents(events: readonly TurnEvent[]): Deduplicated {
  const firsts = haveDistinctIds(events) ? undefined : findFirsts(events, groupCopies(events));
  if (firsts === undefined) {
    return {
      events: events.every(hasRevision) ? events.slice() : events.map(withRevision),
      duplicatesRemoved: 0,
      copies: Array<number>(events.length).fill(1),
    };
  }
  const kept: TurnEvent[] = [];
  const counts: number[] = [];
  const slotOf = new Int32Array(events.length);
  const copies = new Map<number, Copies>();
  for (let at = 0; at < events.length; at += 1) {
    const event = events[at] as TurnEvent;
    const first = firsts[at] as number;
    if (first === at) {
      slotOf[at] = kept.length;
      kept.push(event);
      counts.push(1);
      continue;
    }
    const slot = slotOf[first] as number;
    counts[slot] = (counts[slot] ?? 0) + 1;
    let met = copies.get(slot);
    if (met === undefined) {
      met = noCopies();
      copies.set(slot, met);
      addCopy(met, kept[slot] as TurnEvent);
    }
    addCopy(met, event);
  }
  const unique = kept.map((event, slot) => latest(event, copies.get(slot)));
  const duplicatesRemoved = events.length - unique.length;
  return { events: unique, duplicatesRemoved, copies: counts };
}

/**
 * True when no two of the events are copies, decided by the partition of their tuples. It does not
 * decide for events with a principal: their copies may be in different tuples.
 */
export function areDistinct(events: readonly TurnEvent[], groups: Partition): boolean {
  return findFirsts(events, groups) === undefined;
}

/**
 * Index of the first copy of each event, itself where it is the first; undefined without copies.
 */
function findFirsts(
  events: readonly TurnEvent[],
  { starts, order }: Partition,
): Int32Array | undefined {
  const idAt = (index: number): string => (events[index] as TurnEvent).event_id;
  const ids = new IdSlots(idAt);
  let firsts: Int32Array | undefined;
  for (let group = 0; group < starts.length - 1; group += 1) {
    const from = starts[group] as number;
    const to = starts[group + 1] as number;
    if (to - from < 2) continue;
    ids.begin(to - from);
    for (let at = from; at < to; at += 1) {
      const index = order[at] as number;
      const first = ids.firstOf(index);
      if (first === index) continue;
      firsts ??= Int32Array.from(events, (_, i) => i);
      firsts[index] = first;
    }
  }
  return firsts;
}

/** Number of the group within which each event may have copies. */
function groupCopies(events: readonly TurnEvent[]): Partition {
  const identities = createIdentityTable(tupleFields);
  const received = createIdentityTable(["ingest_principal", "root_trace_id"]);
  const groupOf = new Int32Array(events.length);
  let before: TurnEvent | undefined;
  let group = 0;
  for (let at = 0; at < events.length; at += 1) {
    const event = events[at] as TurnEvent;
    // Events of a turn are adjacent, so the tables are rarely needed.
    if (
      before === undefined ||
      event.ingest_principal !== before.ingest_principal ||
      event.ingest_trusted !== before.ingest_trusted ||
      !isSameTuple(event, before)
    ) {
      const own = event.ingest_principal === undefined;
      const id = own ? 4 * identities.idOf(event) : 4 * received.idOf(event) + 1;
      // An untrusted copy cannot replace a trusted event.
      group = event.ingest_trusted === false ? id + 2 : id;
    }
    before = event;
    groupOf[at] = group;
  }
  return partition(groupOf, 4 * Math.max(identities.size, received.size));
}
