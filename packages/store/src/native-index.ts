/**
 * @module NativeIndex: a provider's own index over evidence, beside the compatibility reads
 * (requirements: Versioning). It is provisioned by an operator, filled in steps that may be
 * repeated, compared exactly, and never needed: without it every read gives the same answer, more
 * slowly.
 */
import type { EvidenceScope } from "./scope.ts";

/** How far an index is. */
export interface NativeIndexState {
  /** True once what is appended is indexed as well. */
  readonly provisioned: boolean;
  /** Units that are stored, and those of them that are indexed. */
  readonly stored: number;
  readonly indexed: number;
}

/** How a command runs: a dry run (the default) changes nothing and says what would be. */
export interface NativeIndexOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Called with units done and units in all. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** How two paths are compared. */
export interface ParityOptions extends Omit<NativeIndexOptions, "dryRun"> {
  /** Scope of the operator's reads; those of tenants are done besides. */
  readonly scope: EvidenceScope;
}

/** What a parity check found. */
export interface Parity {
  /** Units whose index was compared with one made anew, and reads that were done both ways. */
  readonly unitsCompared: number;
  readonly readsCompared: number;
  /** Units and reads that differ; the index may be used when there are none. */
  readonly differences: number;
}

/** What operators' commands do with an index. */
export interface NativeIndex {
  state(): Promise<NativeIndexState>;
  /** From now on what is appended is indexed. */
  migrate(options?: NativeIndexOptions): Promise<NativeIndexState>;
  /** Indexes what was stored before; goes on where it was interrupted. */
  backfill(options?: NativeIndexOptions): Promise<NativeIndexState>;
  /** Compares the index with the rows, and native reads with compatibility reads, exactly. */
  parity(options: ParityOptions): Promise<Parity>;
  /** Takes the index away; the compatibility reads stay. */
  drop(options?: NativeIndexOptions): Promise<NativeIndexState>;
}
