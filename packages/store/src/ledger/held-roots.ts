/** @module HeldRoots: rows of roots that were stored a moment ago, within a bound of bytes. */
import { compareTimes } from "@turnproof/evidence";

import type { RootStanding } from "../evidence-store.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { HeldTurn } from "./turn-question.ts";

/** A root all of whose rows are held. */
export interface HeldRoot extends RootStanding {
  readonly events: readonly StoredEvent[];
  /** About what the rows take in memory. */
  readonly bytes: number;
  /** Receipt of the first row since its turns were settled, empty without one, and of the last. */
  readonly from: string;
  readonly last: string;
  /** Rows that its last provisional turns rest on, and these turns. */
  readonly recorded: number;
  readonly turns: readonly HeldTurn[];
}

/** A root whose turns are to be settled, and the receipt of its last row. */
export interface DueRoot {
  readonly root: string;
  readonly last: string;
}

/** Names of roots that were let go of before they were settled. */
const namesMax = 200_000;

/** Roots, those with the latest event at the end. */
export class HeldRoots {
  private readonly roots = new Map<string, HeldRoot>();
  /** Last receipt of roots that are not settled and not held. */
  private readonly gone = new Map<string, string>();
  private readonly bytesMax: number;
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get(root: string): HeldRoot | undefined {
    return this.roots.get(root);
  }

  /** Whether the root is not settled. */
  knows(root: string): boolean {
    return this.roots.has(root) || this.gone.has(root);
  }

  /** Adds rows to a root, which has this standing with them. */
  add(root: string, { rows, epoch }: RootStanding, own: readonly StoredEvent[]): HeldRoot {
    const known = this.roots.get(root);
    const all = (known?.events ?? []) as StoredEvent[];
    let { bytes = 0, from = "", last = "" } = known ?? {};
    const before = bytes;
    for (const event of own) {
      all.push(event);
      bytes += sizeOf(event);
      const at = event.received_at;
      if (from === "" || compareTimes(at, from) < 0) from = at;
      if (compareTimes(at, last) > 0) last = at;
    }
    const { recorded = 0, turns = [] } = known ?? {};
    const next = { rows, epoch, events: all, bytes, from, last, recorded, turns };
    this.bytes += bytes - before;
    this.gone.delete(root);
    this.roots.delete(root);
    this.roots.set(root, next);
    return next;
  }

  /** Remembers the turns that were written of a root. */
  recorded(root: string, rows: number, turns: readonly HeldTurn[]): void {
    const known = this.roots.get(root);
    if (known !== undefined) this.roots.set(root, { ...known, recorded: rows, turns });
  }

  /** Lets go of the rows of a root that is to be read back when it is quiet. */
  evict(root: string, last: string): void {
    this.drop(root);
    this.gone.delete(root);
    this.gone.set(root, last);
    if (this.gone.size <= namesMax) return;
    for (const oldest of this.gone.keys()) {
      this.gone.delete(oldest);
      return;
    }
  }

  /** Lets go of a root whose turns are settled up to here, unless it spoke since, or is not quiet. */
  settled({ root, last: through }: DueRoot, quiet: string): void {
    const last = this.gone.get(root);
    if (last !== undefined && compareTimes(last, through) <= 0) this.gone.delete(root);
    const known = this.roots.get(root);
    if (known === undefined) return;
    const isNew = compareTimes(known.last, through) > 0;
    if (isNew || compareTimes(known.last, quiet) >= 0) {
      this.roots.set(root, { ...known, from: isNew ? known.last : "" });
    } else this.drop(root);
  }

  /** Lets go of what has been still for longest, down to the bound. */
  bound(): void {
    for (const [root, { last }] of this.roots) {
      if (this.bytes <= this.bytesMax) return;
      this.evict(root, last);
    }
  }

  /**
   * Roots that are not settled and received nothing since `quiet`, and those of which rows wait since
   * before `busy`.
   */
  due(quiet: string, busy: string): readonly DueRoot[] {
    const due: DueRoot[] = [];
    for (const [root, { from, last }] of this.roots) {
      const waits = from !== "" && compareTimes(from, busy) < 0;
      if (waits || compareTimes(last, quiet) < 0) due.push({ root, last });
    }
    for (const [root, last] of this.gone) {
      if (compareTimes(last, quiet) < 0) due.push({ root, last });
    }
    return due;
  }

  private drop(root: string): void {
    this.bytes -= this.roots.get(root)?.bytes ?? 0;
    this.roots.delete(root);
  }
}

/** About what an event takes: its slots, and its texts. */
function sizeOf(event: StoredEvent): number {
  let bytes = eventBytes;
  for (const value of Object.values(event)) bytes += textBytes(value);
  for (const value of Object.values(event.attributes)) bytes += textBytes(value);
  return bytes;
}

const eventBytes = 512;
const slotBytes = 16;

function textBytes(value: unknown): number {
  if (typeof value === "string") return slotBytes + value.length;
  if (!Array.isArray(value)) return slotBytes;
  let bytes = slotBytes;
  for (const item of value) bytes += textBytes(item);
  return bytes;
}
