/**
 * @module KnownRoots: how many events recently written roots have, without a query. Only for an
 * embedded engine, whose data no other process can write. A look-up of a root in the index of words
 * costs more than writing its rows, and both the recorder and the judge need one for each root.
 *
 * A root is counted from its first row on, which is certain where its hash was never written
 * before. Hashes are in a Bloom filter: a root that only seems to be there is queried.
 */
import { rootHash } from "./bundle-table.ts";
import type { EncodedBlock, RootEvents } from "./native-writer.ts";

/** Bits of the filter (4 MiB): at a million roots one of 250 new ones is queried. */
const filterBits = 2 ** 25;
/** Rows of the table up to which its hashes are read; a larger one would fill the filter. */
const rowsMax = 5_000_000;
/** Most counted roots; a root is settled some seconds after its last row. */
const rootsMax = 32_768;

/** Reads one column of a query's answer. */
export type ReadColumn = (sql: string) => Promise<readonly unknown[]>;

/** Counts of roots of one data directory. */
export class KnownRoots {
  private readonly rows = new Map<string, number>();
  private readonly filter = new Uint32Array(filterBits / 32);
  /** Whether the filter has everything that was stored before; undefined: not read yet. */
  private complete: boolean | undefined;
  private reading: Promise<void> | undefined;
  private written = false;

  /** Runs the insert of a block, and counts its rows. A block without roots ends all counting. */
  async inserting(
    { roots }: Pick<EncodedBlock, "roots">,
    token: string,
    insert: () => Promise<void>,
  ): Promise<void> {
    this.written = true;
    if (roots === undefined) this.complete = false;
    // The engine stores the same token once, so these rows may be counted already.
    const isAgain = this.add(Number.parseInt(token.slice(0, 8), 16));
    const fresh = new Set<string>();
    for (const [root] of roots ?? []) {
      if (!this.add(rootHash(root)) && this.complete === true) fresh.add(root);
    }
    let stored = false;
    try {
      await insert();
      stored = true;
    } finally {
      if (roots === undefined) this.rows.clear();
      // After a failure the rows may be stored all the same.
      else this.count(roots, stored && !isAgain ? fresh : undefined);
    }
  }

  /** Runs statements; where they may delete rows or exchange tables, nothing is known after. */
  async changing<T>(statements: readonly string[], run: () => Promise<T>): Promise<T> {
    const isChange = statements.some((sql) => /\b(?:bundles|root_epochs)/.test(sql));
    if (isChange) this.rows.clear();
    try {
      return await run();
    } finally {
      if (isChange) this.rows.clear();
    }
  }

  /** Stored events of those of these roots that are counted; none of them lost rows. */
  async countsOf(roots: readonly string[], read: ReadColumn): Promise<ReadonlyMap<string, number>> {
    // Before the first insert all roots are older ones.
    if (this.written && this.complete === undefined) await (this.reading ??= this.readHashes(read));
    const counts = new Map<string, number>();
    for (const root of roots) {
      const known = this.rows.get(root);
      if (known !== undefined) counts.set(root, known);
    }
    return counts;
  }

  /** Adds stored rows, or with no fresh roots forgets these. */
  private count(roots: readonly RootEvents[], fresh: ReadonlySet<string> | undefined): void {
    for (const [root, events] of roots) {
      const known = this.rows.get(root) ?? (fresh?.has(root) === true ? 0 : undefined);
      // Written last, deleted last.
      this.rows.delete(root);
      if (fresh !== undefined && known !== undefined) this.rows.set(root, known + events);
    }
    for (const oldest of this.rows.keys()) {
      if (this.rows.size <= rootsMax) break;
      this.rows.delete(oldest);
    }
  }

  private async readHashes(read: ReadColumn): Promise<void> {
    try {
      const [rows] = await read("SELECT toFloat64(count()) AS value FROM bundles");
      if (Number(rows) > rowsMax) {
        this.complete = false;
        return;
      }
      const hashes = await read(
        "SELECT DISTINCT root AS value FROM bundles UNION DISTINCT SELECT root FROM root_epochs",
      );
      for (const hash of hashes) this.add(Number(hash));
      this.complete ??= true;
    } finally {
      this.reading = undefined;
    }
  }

  /** Adds a hash to the filter; true when it may have been there. */
  private add(hash: number): boolean {
    const second = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d) >>> 0;
    const isFirst = this.set(hash % filterBits);
    const isSecond = this.set(second % filterBits);
    return isFirst && isSecond;
  }

  private set(bit: number): boolean {
    const word = this.filter[bit >>> 5] ?? 0;
    this.filter[bit >>> 5] = word | (1 << (bit & 31));
    return (word & (1 << (bit & 31))) !== 0;
  }
}

/** By directory: a process may open one several times. */
const known = new Map<string, KnownRoots>();

/** The counts of a directory, as long as this process has it open. */
export function knownRootsOf(path: string): KnownRoots {
  let of = known.get(path);
  if (of === undefined) known.set(path, (of = new KnownRoots()));
  return of;
}

/** The directory is closed: another process may write to it. */
export function forgetKnownRoots(path: string): void {
  known.delete(path);
}
