/**
 * @module IdSlots: finds repeated ids in a small group without a map per group. A window has one
 * group per turn, and creating and discarding that many maps was most of the cost of removing
 * copies.
 */

import type { TurnEvent } from "./event.ts";

/** Largest group for which slots are used; a larger one gets its own map. */
const slotsMax = 64;
/** At least twice the members, so that the next free slot is near. */
const slots = 2 * slotsMax;

/** Finds the first index with the same id, group after group. */
export class IdSlots {
  private readonly idAt: (index: number) => string;
  /** Index of the event in the slot, plus one; 0 is free. */
  private readonly held: Int32Array;
  private map: Map<string, number> | undefined;

  constructor(idAt: (index: number) => string, held: Int32Array = new Int32Array(slots)) {
    this.idAt = idAt;
    this.held = held;
  }

  /** Starts a group of that many members. */
  begin(members: number): void {
    this.map = members > slotsMax ? new Map() : undefined;
    this.held.fill(0);
  }

  /** The index itself when its id is new in the group, else the first index with it. */
  firstOf(index: number): number {
    const id = this.idAt(index);
    if (this.map !== undefined) {
      const known = this.map.get(id);
      if (known === undefined) this.map.set(id, index);
      return known ?? index;
    }
    // A group is small, so ids crafted to share a slot cost a few steps at most.
    for (let slot = slotOf(id); ; slot = (slot + 1) & (slots - 1)) {
      const held = this.held[slot] as number;
      if (held === 0) {
        this.held[slot] = index + 1;
        return index;
      }
      if (this.idAt(held - 1) === id) return held - 1;
    }
  }
}

/** Used within one call: many roots have a handful of events each. */
const reused = new Int32Array(slots);

/** True when no two events share an id: then there are no copies by any key. */
export function haveDistinctIds(events: readonly TurnEvent[]): boolean {
  const ids = new IdSlots((index) => (events[index] as TurnEvent).event_id, reused);
  ids.begin(events.length);
  for (let at = 0; at < events.length; at += 1) if (ids.firstOf(at) !== at) return false;
  return true;
}

const [colon, resultChars, hashedChars] = [0x3a, ":result".length, 8];

/** Uses the length and up to eight last characters, where ids of a turn's spans differ. */
function slotOf(id: string): number {
  const { length } = id;
  const end = id.charCodeAt(length - resultChars) === colon ? length - resultChars : length;
  let hash = length;
  for (let at = end > hashedChars ? end - hashedChars : 0; at < end; at += 1) {
    hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 9)) & (slots - 1);
}
