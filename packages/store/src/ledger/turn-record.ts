/**
 * @module TurnRecord: one row per turn in the ledger. It is written when the turn's first bundle
 * drains, and again when the judge has settled the turn or late evidence has changed it. Of two
 * versions the one based on more evidence wins, so several collectors converge.
 */
import type { TurnCall, TurnRow } from "@turnproof/evidence";

/**
 * Version of a record. Fields are compared in this order; a collector's clock is not among them.
 */
export interface TurnVersion {
  /** Number of deletions of the root's rows. */
  readonly epoch: number;
  /** Stored rows of the root at that time. */
  readonly rows: number;
  /** True once the judge has settled the turn. */
  readonly settled: boolean;
}

/** A turn of the ledger. */
export interface TurnRecord {
  /** 192 bits of a hash of the turn's identity, 48 hexadecimal digits. */
  readonly key: string;
  readonly version: TurnVersion;
  /** First receipt; fixed at the first write, because providers sort and partition by it. */
  readonly first_received: string;
  /** Row in the lists. */
  readonly row: TurnRow;
  readonly calls: readonly TurnCall[];
  readonly environments: readonly string[];
  /**
   * Names in single events of the turn, by {@link turnName}: `ref:`, `task:` and `run:` query
   * them. A judged turn has the results of its contracts here too, for `contract:`.
   */
  readonly names: readonly string[];
  /** When the verdict was computed, and its version; null while not judged. */
  readonly judged_at: string | null;
  readonly as_of: string | null;
}

/** Negative when `a` is based on less evidence than `b`. */
export function compareVersions(a: TurnVersion, b: TurnVersion): number {
  return a.epoch - b.epoch || a.rows - b.rows || Number(a.settled) - Number(b.settled);
}

/** A name in a record: an application, memory, run, task, resource, another store, or a result. */
export function turnName(
  kind: "app" | "memory" | "run" | "task" | "ref" | "store" | "contract",
  id: string,
): string {
  return `${kind}:${id}`;
}

/** Starts a name that is the result of a contract. */
export const contractPrefix: string = turnName("contract", "");

/** Names of events, without results of contracts, and names that are such results. */
export function withContracts(
  names: readonly string[],
  results: readonly string[],
): readonly string[] {
  const others = names.filter((name) => !name.startsWith(contractPrefix));
  return results.length === 0 && others.length === names.length
    ? names
    : [...new Set([...others, ...results])].toSorted();
}

/** The results of contracts among names. */
export function contractNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(contractPrefix));
}
