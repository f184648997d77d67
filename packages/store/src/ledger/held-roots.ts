/** @module HeldRoots: rows of roots that were stored a moment ago, within a bound of bytes. */
import { compareTimes } from "@turnproof/evidence";

import type { RootStanding } from "../evidence-store.ts";
import type { HeldRows } from "./held-rows.ts";
import type { JudgedSoFar } from "./record-roots.ts";
import type { RootDraft } from "./root-draft.ts";
import type { HeldTurn } from "./turn-question.ts";

/** A root all of whose rows are held. */
export interface HeldRoot extends RootStanding {
  readonly held: HeldRows;
  /** Receipt of the first row since its turns were settled, empty without one, and of the last. */
  readonly from: string;
  readonly last: string;
  /** Rows that its last provisional turns rest on, and these turns. */
  readonly recorded: number;
  readonly turns: readonly HeldTurn[];
  /** What was found of these turns, where it was. */
  readonly draft?: RootDraft | undefined;
  /** What was found of its turns before it was quiet. */
  readonly soFar?: JudgedSoFar | undefined;
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
  add(root: string, { rows, epoch }: RootStanding, own: HeldRows): HeldRoot {
    const known = this.roots.get(root);
    const before = bytesOf(known);
    const held = known?.held ?? own;
    if (known === undefined) own.pack();
    else held.join(own);
    const { last } = held;
    let { from = "" } = known ?? {};
    if (from === "" || compareTimes(own.first, from) < 0) from = own.first;
    const { recorded = 0, turns = [], soFar } = known ?? {};
    const next = { rows, epoch, held, from, last, recorded, turns, soFar };
    this.bytes += bytesOf(next) - before;
    this.gone.delete(root);
    this.roots.delete(root);
    this.roots.set(root, next);
    return next;
  }

  /** Remembers the turns that were written of a root, and what was found of them. */
  recorded(root: string, { rows, turns, draft }: Pick<HeldRoot, "rows" | "turns" | "draft">): void {
    const known = this.roots.get(root);
    if (known === undefined) return;
    const before = bytesOf(known);
    const next = { ...known, recorded: rows, turns, draft };
    this.roots.set(root, next);
    this.bytes += bytesOf(next) - before;
  }

  /** Remembers what was found of a root up to this receipt; what came later waits from there on. */
  judgedSoFar(root: string, through: string, soFar: JudgedSoFar): void {
    const known = this.roots.get(root);
    if (known === undefined) return;
    const next = { ...known, from: through, soFar };
    this.roots.set(root, next);
    this.bytes += bytesOf(next) - bytesOf(known);
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
    this.bytes -= bytesOf(this.roots.get(root));
    this.roots.delete(root);
  }
}

function bytesOf(root: HeldRoot | undefined): number {
  if (root === undefined) return 0;
  const records = (root.draft?.records.length ?? 0) + (root.soFar?.size ?? 0);
  return root.held.bytes + records * recordBytes;
}

/** About what a record of a turn takes. */
const recordBytes = 2_048;
