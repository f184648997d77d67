/**
 * @module TurnRecord: one row per turn, as the ledger keeps it. It is written when the turn's first
 * bundle drains, and again when the judge has settled the turn or late evidence has changed it. Of
 * two versions the one that rests on more stands, so several collectors converge.
 */
import type { TurnCall, TurnRow } from "@turnproof/evidence";

/** What a version rests on. Compared in this order; the clock of a collector is not among it. */
export interface TurnVersion {
  /** How often rows of the root were deleted. */
  readonly epoch: number;
  /** Stored rows of the root that were seen. */
  readonly rows: number;
  /** True once the judge has settled the turn. */
  readonly settled: boolean;
}

/** A turn of the ledger. */
export interface TurnRecord {
  /** Keyed 128-bit hash of the turn's identity, 32 hexadecimal digits. */
  readonly key: string;
  readonly version: TurnVersion;
  /** First receipt; fixed at the first write, because providers order and partition by it. */
  readonly first_received: string;
  /** What lists show. */
  readonly row: TurnRow;
  readonly calls: readonly TurnCall[];
  readonly environments: readonly string[];
  /** What single events of the turn name, by {@link turnName}: `ref:`, `task:` and `run:` ask it. */
  readonly names: readonly string[];
  /** When the verdict was worked out and what it rests on; null while not judged. */
  readonly judged_at: string | null;
  readonly as_of: string | null;
}

/** Negative when `a` rests on less than `b`. */
export function compareVersions(a: TurnVersion, b: TurnVersion): number {
  return a.epoch - b.epoch || a.rows - b.rows || Number(a.settled) - Number(b.settled);
}

/** A name as a record keeps it: an application, memory, run, task, resource, or another store. */
export function turnName(
  kind: "app" | "memory" | "run" | "task" | "ref" | "store",
  id: string,
): string {
  return `${kind}:${id}`;
}
