/** @module EvidenceAdmin: administrative operations of an evidence provider. */
import type { Retention } from "./retention.ts";

/** Bounds and callbacks of copying old events. A dry run (the default) only counts. */
export interface CopyOptions {
  readonly dryRun?: boolean;
  /** Ends the run between two steps; the next run continues. */
  readonly signal?: AbortSignal;
  /** Called with the number of events done and of all events. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Result of copying old events. */
export interface CopyReport {
  readonly dry_run: boolean;
  /** Events of an older version that still exist, and how many of them are copied. */
  readonly events: number;
  readonly copied: number;
  /** False when the run ended early: run it again. */
  readonly complete: boolean;
}

/** Result of comparing old events with their copy. */
export interface ParityReport {
  /** Events of an older version. */
  readonly events: number;
  /** Those that are not in the copy, and their roots (100,000 at most). */
  readonly missing: number;
  readonly roots: number;
  /**
   * Those of roots that lost rows to retention or a deletion since the copy; they are not
   * compared.
   */
  readonly deleted: number;
  /** False when the run ended early. */
  readonly complete: boolean;
}

/** Administrative operations of an evidence provider. */
export interface EvidenceAdmin extends Pick<Retention, "evidence">, AsyncDisposable {
  /** Copies the events of an older version; the originals remain until they are dropped. */
  copyOld(options?: CopyOptions): Promise<CopyReport>;
  /** Compares those events with the copy; changes nothing. */
  checkOld(options?: Omit<CopyOptions, "dryRun">): Promise<ParityReport>;
  /**
   * Compares, then drops the events of an older version.
   * @throws CodedError `migration_pending` until they are copied, `migration_differs` where an
   * event is not in the copy
   */
  dropOld(): Promise<void>;
  close(): Promise<void>;
}
