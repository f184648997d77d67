/**
 * @module IdSlots: which ids of a small group were met before, without a map per group. A window
 * has one group per turn, and filling and throwing away that many maps was most of what removing
 * copies cost.
 */

import type { TurnEvent } from "./event.ts";

/** Members of a group up to which slots are used; a larger one has a map of its own. */
const slotsMax = 64;
/** Twice as many as members at most, so that the next free slot is near. */
const slots = 2 * slotsMax;

/** Finds the first index with the same id, group after group. */
export class IdSlots {
  private readonly idAt: (index: number) => string;
  /** One more than the index that holds the slot; 0 is free. */
  private readonly held = new Int32Array(slots);
  private map: Map<string, number> | undefined;

  constructor(idAt: (index: number) => string) {
    this.idAt = idAt;
  }

  /** Starts a group of so many members. */
  begin(members: number): void {
    this.map = members > slotsMax ? new Map() : undefined;
    this.held.fill(0);
  }

  /** The index itself when its id is new to the group, else the one that had it first. */
  firstOf(index: number): number {
    const id = this.idAt(index);
    if (this.map !== undefined) {
      const known = this.map.get(id);
      if (known === undefined) this.map.set(id, index);
      return known ?? index;
    }
    // A group is small, so ids made up to share a slot cost a few steps and no more.
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

/** True when no two events have one id: then none is a copy, whatever it is a copy by. */
export function haveDistinctIds(events: readonly TurnEvent[]): boolean {
  const ids = new IdSlots((index) => (events[index] as TurnEvent).event_id);
  ids.begin(events.length);
  for (let at = 0; at < events.length; at += 1) if (ids.firstOf(at) !== at) return false;
  return true;
}

const [colon, resultChars, hashedChars] = [0x3a, ":result".length, 8];

/** From the length and up to eight characters: spans of a turn differ in the last ones of their id. */
function slotOf(id: string): number {
  const { length } = id;
  const end = id.charCodeAt(length - resultChars) === colon ? length - resultChars : length;
  let hash = length;
  for (let at = end > hashedChars ? end - hashedChars : 0; at < end; at += 1) {
    hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 9)) & (slots - 1);
}
