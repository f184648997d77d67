/**
 * @module Dedupe: one event of many copies (design 3.6). Copies share (application, agent, user,
 * thread, root, turn, event_id); for received spans (ingest principal, root, event_id), so that one
 * producer cannot replace what another said.
 */
import { contentOf, stableHash } from "./content-hash.ts";
import type { TurnEvent } from "./event.ts";
import { createIdentityTable } from "./identity-table.ts";
import { compareTimes } from "./time.ts";

/** Each event once, and how many copies were set aside. */
export interface Deduplicated {
  /** In the order in which each event was first met. */
  readonly events: TurnEvent[];
  readonly duplicatesRemoved: number;
  /** How many of the input each event stands for, itself included; parallel to `events`. */
  readonly copies: readonly number[];
}

/** All contents that one event was met with; each is represented by its earliest receipt. */
interface Copies {
  readonly byContent: Map<string, TurnEvent>;
  seenRevision: number;
}

/**
 * Keeps the latest content of every event and sets `revision` to the number of its distinct
 * contents. The latest is decided by timestamp, then received_at, then content hash, never by the
 * order of the input; a retry of an older content does not bring it back, because a content counts
 * as received when it was first received. Identity must be resolved already (`resolveEvents`).
 */
export function dedupeEvents(events: readonly TurnEvent[]): Deduplicated {
  const said = createIdentityTable([
    "application_id",
    "agent_id",
    "user_id",
    "thread_id",
    "root_trace_id",
    "turn_id",
  ]);
  const received = createIdentityTable(["ingest_principal", "root_trace_id"]);
  const saidSlots: Map<string, number>[] = [];
  const receivedSlots: Map<string, number>[] = [];
  const kept: TurnEvent[] = [];
  const counts: number[] = [];
  const copies = new Map<number, Copies>();
  for (const event of events) {
    const slots = event.ingest_principal === undefined ? saidSlots : receivedSlots;
    const table = event.ingest_principal === undefined ? said : received;
    const group = table.idOf(event);
    let slotOf = slots[group];
    if (slotOf === undefined) {
      slotOf = new Map();
      slots[group] = slotOf;
    }
    const slot = slotOf.get(event.event_id);
    if (slot === undefined) {
      slotOf.set(event.event_id, kept.length);
      kept.push(event);
      counts.push(1);
      continue;
    }
    counts[slot] = (counts[slot] ?? 0) + 1;
    let met = copies.get(slot);
    if (met === undefined) {
      met = { byContent: new Map(), seenRevision: 1 };
      copies.set(slot, met);
      addCopy(met, kept[slot] as TurnEvent);
    }
    addCopy(met, event);
  }
  const unique = kept.map((event, slot) => latest(event, copies.get(slot)));
  const duplicatesRemoved = events.length - unique.length;
  return { events: unique, duplicatesRemoved, copies: counts };
}

function addCopy(met: Copies, event: TurnEvent): void {
  const content = contentOf(event);
  const same = met.byContent.get(content);
  met.seenRevision = Math.max(met.seenRevision, event.revision ?? 1);
  if (same === undefined || compareCopies(event, same) < 0) met.byContent.set(content, event);
}

/** Order of two copies of one content: first receipt, then anything else that may differ. */
function compareCopies(a: TurnEvent, b: TurnEvent): number {
  return (
    compareReceipt(a, b) || (JSON.stringify(copyMark(a)) < JSON.stringify(copyMark(b)) ? -1 : 1)
  );
}

/** What {@link contentOf} leaves out, in a fixed order, so that a tie never rests on arrival. */
function copyMark(event: TurnEvent): readonly unknown[] {
  return [
    event.source_store ?? null,
    event.producer_id ?? null,
    event.producer_seq ?? null,
    event.identity_derived ?? null,
    event.revision ?? null,
  ];
}

function compareReceipt(a: TurnEvent, b: TurnEvent): number {
  const left = a.received_at;
  const right = b.received_at;
  if (left === undefined || right === undefined) {
    return left === right ? 0 : left === undefined ? -1 : 1;
  }
  return compareTimes(left, right);
}

function latest(event: TurnEvent, met: Copies | undefined): TurnEvent {
  if (met === undefined) {
    return event.revision === undefined ? { ...event, revision: 1 } : event;
  }
  let best: TurnEvent | undefined;
  let bestContent = "";
  for (const [content, copy] of met.byContent) {
    if (best === undefined || isLater(copy, content, best, bestContent)) {
      best = copy;
      bestContent = content;
    }
  }
  const revision = Math.max(met.byContent.size, met.seenRevision);
  const chosen = best ?? event;
  return chosen.revision === revision ? chosen : { ...chosen, revision };
}

function isLater(a: TurnEvent, contentA: string, b: TurnEvent, contentB: string): boolean {
  const order = compareTimes(a.timestamp, b.timestamp) || compareReceipt(a, b);
  if (order !== 0) return order > 0;
  const hashA = stableHash(contentA);
  const hashB = stableHash(contentB);
  return hashA === hashB ? contentA > contentB : hashA > hashB;
}
