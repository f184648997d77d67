/** @module Contract: the guarantees of a journal, without its implementation. */
import type { Code } from "@turnproof/semconv";

import type { JournalPosition } from "./backlog.ts";
import type { JournalClock } from "./clock.ts";
import type { LostFrames } from "./damage.ts";
import type { JournalFileSystem } from "./file-system.ts";
import type { JournalFrame } from "./journal-reader.ts";
import type { Processes } from "./process-owner.ts";
import type { DamagedSpans } from "./span-totals.ts";
import type { QuarantineInput, QuarantineRecord } from "./quarantine.ts";

/** An event for operators: a content-free code and a count. */
export interface JournalEvent {
  readonly code: Code;
  readonly count: number;
  readonly lostFrames?: number;
  readonly lostSpans?: number;
  /** True where the counts of what was lost are lower bounds. */
  readonly atLeast?: true;
  /** Of damage: names of the files, in the directory of the journal, with the bytes set aside. */
  readonly files?: readonly string[];
}

/** Directory, bounds and ports of a journal. */
export interface JournalOptions {
  /** Created when it does not exist. One process at a time uses it. */
  readonly directory: string;
  /** Most bytes on the disk; default 4 GiB. Beyond it: `journal_full`. */
  readonly bytesMax?: number;
  /** Bytes after which a new segment begins; default 32 MiB, at most a quarter of the bound. */
  readonly segmentBytes?: number;
  /**
   * How long a group waits for further frames, and the bytes at which it stops waiting; default 0
   * ms and 256 KiB. The next group forms while one group syncs, so waiting saves syncs on a slow
   * disk and costs latency on a fast one.
   */
  readonly groupCommitMs?: number;
  readonly groupCommitBytes?: number;
  readonly fileSystem?: JournalFileSystem;
  readonly clock?: JournalClock;
  readonly processes?: Processes;
  readonly heartbeatMs?: number;
  /** Disk space reserved for checkpoints on a full disk; default 256 KiB. */
  readonly reserveBytes?: number;
  /** How often what was acknowledged is noted beside the segments; default 1,000 ms. */
  readonly noteEveryMs?: number;
  /** Called synchronously; must not throw. */
  readonly onEvent?: (event: JournalEvent) => void;
  /** For tests: false plants the bug "checksums are not verified", which the suites must catch. */
  readonly verifyChecksums?: boolean;
}

/** Counts and state; `pending` is acknowledged and not checkpointed. */
export interface JournalStats {
  readonly pendingFrames: number;
  readonly pendingSpans: number;
  readonly pendingBytes: number;
  /** Bytes of all files that count toward the bound. */
  readonly diskBytes: number;
  readonly bytesMax: number;
  readonly segments: number;
  /**
   * Damaged ranges set aside here since the directory was created, and acknowledged frames lost
   * with them.
   */
  readonly corruptRanges: number;
  readonly lostFrames: number;
  /** Spans in frames damaged since this process opened it; they count as appended. */
  readonly lostSpans: number;
  /**
   * Spans in frames that were found damaged when this process opened it, which do not count as
   * appended; and such frames whose spans are unknown, so that `spans` is a lower bound.
   */
  readonly damaged: DamagedSpans;
  readonly quarantinedSpans: number;
  readonly quarantinedRecords: number;
  /** ISO 8601 UTC. */
  readonly oldestPendingAt?: string;
  readonly healthy: boolean;
  /** Why appends are refused now. */
  readonly failure?: Code;
  /** Since this process opened it. */
  readonly appendedFrames: number;
  readonly appendedSpans: number;
  readonly groups: number;
  readonly acknowledgedThrough: number;
  readonly drainedThrough: number;
}

/** A durable queue of opaque payloads. */
export interface Journal {
  /**
   * Resolves after fdatasync. Rejects with `journal_full` (the bound), `disk_full`,
   * `journal_failed` or `body_too_large`; the frame is then never delivered as acknowledged. The
   * payload must not be changed until then.
   */
  append(frame: {
    readonly payload: Uint8Array;
    readonly spans: number;
  }): Promise<{ readonly sequence: number }>;
  /** Pending frames in order, up to the newest acknowledged one, in bounded memory. */
  read(from?: JournalPosition): AsyncIterable<JournalFrame>;
  /**
   * Marks everything up to and including this frame as stored and read back. Durable before it
   * resolves; then complete segments are unlinked. A position is free; a sequence is looked up.
   */
  checkpoint(through: JournalPosition | number): Promise<void>;
  /** Makes the ends of batches durable before they are sent; see the drain. */
  plan(ends: readonly number[]): Promise<void>;
  /** Ends of batches that may have been sent and were not checkpointed, ascending. */
  planned(): readonly number[];
  quarantine(input: QuarantineInput): Promise<void>;
  quarantined(): AsyncIterable<QuarantineRecord>;
  /** Deletes a record that was replayed. */
  releaseQuarantined(id: string): Promise<void>;
  /**
   * Calls the listener after each group that became durable; returns the function that stops it.
   */
  onDurable(listener: () => void): () => void;
  stats(): JournalStats;
  /** Acknowledged frames that were lost, and the times between which they were appended. */
  losses(): readonly LostFrames[];
  /** Waits for pending appends, writes the last checkpoint, releases the directory. */
  close(): Promise<void>;
}
