/** @module HeldRoots: rows of recently stored roots in memory, bounded in bytes. */

import { compareTimes } from "@turnproof/semconv";

import type { RootCounts } from "../evidence-store.ts";
import type { HeldRows } from "./held-rows.ts";
import type { JudgedSoFar } from "./record-roots.ts";
import type { RootDraft } from "./root-draft.ts";
import type { HeldTurn } from "./turn-query.ts";

/** A root with all of its rows in memory. */
export interface HeldRoot extends RootCounts {
  readonly held: HeldRows;
  /** Receipt of the first row since its turns were settled, empty without one, and of the last. */
  readonly from: string;
  readonly last: string;
  /** Number of rows behind its last provisional turns, and these turns. */
  readonly recorded: number;
  readonly turns: readonly HeldTurn[];
  /** Judgement of these turns, if any. */
  readonly draft?: RootDraft | undefined;
  /** Judgement of its turns before it was quiet. */
  readonly soFar?: JudgedSoFar | undefined;
  /** Rows with which its turns were settled before it was quiet. */
  readonly settledRows?: number | undefined;
}

/** A root whose turns are to be settled, and the receipt of its last row. */
export interface DueRoot {
  readonly root: string;
  readonly last: string;
  /** Its rows in memory. */
  readonly rows: number;
  /** True: it need not be quiet, because its turns have ended. */
  readonly ended: boolean;
}

/** Receipts before which a root is due. */
export interface DueTimes {
  /** It received nothing since. */
  readonly quiet: string;
  /** The same, where its turns have ended. */
  readonly ended: string;
  /** It has rows that wait since before. */
  readonly busy: string;
}

/** Most names of roots that were evicted before they were settled. */
const namesMax = 200_000;

/** Roots, those with the latest event last. */
export class HeldRoots {
  private readonly roots = new Map<string, HeldRoot>();
  /** Last receipt of roots that are neither settled nor in memory. */
  private readonly gone = new Map<string, string>();
  private readonly bytesMax: number;
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get(root: string): HeldRoot | undefined {
    return this.roots.get(root);
  }

  /** True for a root that is not settled. */
  knows(root: string): boolean {
    return this.roots.has(root) || this.gone.has(root);
  }

  /** Adds rows to a root; `standing` includes them. */
  add(root: string, { rows, epoch }: RootCounts, own: HeldRows): HeldRoot {
    const known = this.roots.get(root);
    const before = bytesOf(known);
    const held = known?.held ?? own;
    if (known !== undefined) held.join(own);
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

  /** Packs the rows of a root. */
  pack(root: string): void {
    const known = this.roots.get(root);
    const before = bytesOf(known);
    known?.held.pack();
    this.bytes += bytesOf(known) - before;
  }

  /** Records the turns that were written for a root, and their judgement; packs its rows. */
  recorded(root: string, { rows, turns, draft }: Pick<HeldRoot, "rows" | "turns" | "draft">): void {
    const known = this.roots.get(root);
    if (known === undefined) return;
    const before = bytesOf(known);
    known.held.pack();
    const next = { ...known, recorded: rows, turns, draft };
    this.roots.set(root, next);
    this.bytes += bytesOf(next) - before;
  }

  /**
   * Records the judgement of a root up to this receipt; later rows count as waiting from there.
   */
  judgedSoFar(root: string, through: string, soFar: JudgedSoFar): void {
    const known = this.roots.get(root);
    if (known === undefined) return;
    const next = { ...known, from: through, soFar };
    this.roots.set(root, next);
    this.bytes += bytesOf(next) - bytesOf(known);
  }

  /** Drops the rows of a root; it is read back when it is quiet. */
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

  /**
   * Removes a root whose turns are settled up to here, unless it received rows since or is not
   * quiet.
   */
  settled({ root, last: through, rows: settledRows }: DueRoot, quiet: string): void {
    const last = this.gone.get(root);
    if (last !== undefined && compareTimes(last, through) <= 0) this.gone.delete(root);
    const known = this.roots.get(root);
    if (known === undefined) return;
    const isNew = compareTimes(known.last, through) > 0;
    if (isNew || compareTimes(known.last, quiet) >= 0) {
      this.roots.set(root, { ...known, from: isNew ? known.last : "", settledRows });
    } else this.drop(root);
  }

  /** Evicts the roots without rows for longest, down to the bound. */
  bound(): void {
    for (const [root, { last }] of this.roots) {
      if (this.bytes <= this.bytesMax) return;
      this.evict(root, last);
    }
  }

  /** Unsettled roots that are due; those that were settled before they were quiet are dropped. */
  due(times: DueTimes): readonly DueRoot[] {
    const due: DueRoot[] = [];
    for (const [root, held] of this.roots) {
      const { from, last, rows, recorded, draft, settledRows } = held;
      const isQuiet = compareTimes(last, times.quiet) < 0;
      if (settledRows === rows) {
        if (isQuiet) this.drop(root);
        continue;
      }
      const waits = from !== "" && compareTimes(from, times.busy) < 0;
      const isDrafted = draft?.ended === true && recorded === rows;
      const ended = isDrafted && compareTimes(last, times.ended) < 0;
      if (waits || isQuiet || ended) due.push({ root, last, rows, ended });
    }
    for (const [root, last] of this.gone) {
      if (compareTimes(last, times.quiet) < 0) due.push({ root, last, rows: 0, ended: false });
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

/** Approximate size of a turn record. */
const recordBytes = 2_048;
