/** @module DrainContract: what a drain takes and reports, without its implementation. */
import type { Code } from "@turnproof/semconv";

import type { DecodeFrame, StoredFrames } from "./batch.ts";
import type { JournalClock } from "./clock.ts";
import type { PaceOptions } from "./drain-pace.ts";
import type { DrainStore } from "./delivery.ts";
import type { Journal } from "./contract.ts";
import type { PrepareFrames } from "./gather.ts";

/** Journal, store and batch sizes of a drain. */
export interface DrainOptions {
  readonly journal: Journal;
  readonly store: DrainStore;
  readonly decode: DecodeFrame;
  /**
   * Prepares frames in another thread for `appendPrepared` of the store; on undefined or a
   * rejection they are decoded here with `decode`. Must return what `prepareFrames` returns.
   */
  readonly prepare?: PrepareFrames;
  /** Spans at which a batch is sent without waiting for more; default 20,000. */
  readonly batchSpans?: number;
  /** Most payload bytes of one batch; default 64 MiB. */
  readonly batchBytes?: number;
  /** When a batch starts: see `PaceOptions`; by default each second, or with 10,000 spans. */
  readonly pace?: Partial<PaceOptions>;
  /**
   * Most batches in flight; default 3. The actual number follows the store: see
   * `AdaptiveConcurrency`. One more is always being built.
   */
  readonly inFlightMax?: number;
  readonly callTimeoutMs?: number;
  readonly clock?: JournalClock;
  readonly random?: () => number;
  /**
   * Called once per change, with the code of the store's error, or undefined when it works again.
   */
  readonly onStateChange?: (code: Code | undefined) => void;
  /**
   * Called with each batch once it is stored and before its checkpoint, so that derived data
   * exists when the batch counts as readable. A throw is ignored.
   */
  readonly onStored?: (batch: StoredFrames) => Promise<void>;
}

/** Counts since the drain started. */
export interface DrainStats {
  readonly storedEvents: number;
  readonly storedBatches: number;
  /** Attempts that did not end with the rows read back, without halving. */
  readonly retries: number;
  /** Reported successes whose rows were not found. */
  readonly unverified: number;
  readonly quarantinedEvents: number;
  readonly inFlight: number;
  /** How many batches may be in flight at present. */
  readonly inFlightLimit: number;
  /** Code of the last attempt when it failed. */
  readonly failure?: Code;
}

/** A running drain. */
export interface Drain {
  /** Signals new work; appends do so by themselves. */
  kick(): void;
  /** Resolves when nothing is pending; not before an absent store comes back. */
  idle(): Promise<void>;
  stats(): DrainStats;
  /** Stops sending and waits for calls in progress, at most this long (default 5 s). */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
