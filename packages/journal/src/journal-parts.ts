/** @module JournalParts: the components of an open journal. */
import type { Backlog } from "./backlog.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import type { JournalClock } from "./clock.ts";
import type { JournalOptions } from "./contract.ts";
import type { DamageRecord } from "./damage.ts";
import type { DirectoryLock } from "./directory-lock.ts";
import type { JournalFileSystem } from "./file-system.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Recovered } from "./recovery.ts";
import type { Reserve } from "./reserve.ts";
import type { SegmentWriter } from "./segment-writer.ts";

/** Components of an open journal. */
export interface JournalParts {
  readonly options: JournalOptions;
  readonly fileSystem: JournalFileSystem;
  readonly clock: JournalClock;
  readonly directory: string;
  readonly bytesMax: number;
  readonly backlog: Backlog;
  readonly writer: SegmentWriter;
  readonly damage: DamageRecord;
  readonly quarantine: Quarantine;
  readonly reserve: Reserve;
  readonly lock: DirectoryLock;
  readonly listeners: Set<() => void>;
  /** Aborted when it closes. */
  readonly stop: AbortController;
  readonly damaged: Recovered["damaged"];
  /** Spans of all frames before those of the backlog, since the directory was made. */
  readonly spansBefore: number;
  readonly state: {
    checkpoint: Checkpoint;
    lostOwnership: boolean;
    closed: boolean;
    /** The last write was made: writes still queued may not touch the directory. */
    released: boolean;
    lostSpans: number;
    /** End of the queue of all writes besides the segments'. */
    tail: Promise<unknown>;
  };
}
