/**
 * @module Ingest desk: state of the receiving side for the rest of the collector: stored batches,
 * pending frames, and the accounting of every received item.
 */
import type { DamageReport } from "../backend/damage-tracker.ts";
import type { ConservationSnapshot } from "./conservation.ts";
import type { ForwardState } from "./forward/forward.ts";
import type { JournalLosses } from "./otlp/journal-losses.ts";

/** A damaged part of an embedded ClickHouse. */
export interface SetAsidePart {
  readonly table: string;
  /** Its folder, below the data directory. */
  readonly path: string;
}

/** Evidence that turns rest on and that is not in the store any more, without a deletion. */
export interface MissingEvidence {
  /** Turns that were compared; this and the next two are null until all are. */
  readonly turns: number | null;
  readonly roots_missing: number | null;
  readonly rows_missing: number | null;
  /**
   * Events that are fewer than the signed account of this data directory; null without one: the
   * store is a server's.
   */
  readonly events_missing: number | null;
  /**
   * The signed account at the start: `damaged` where it could not be checked, `new` where there was
   * none beside evidence. Then what was gone before is unknown.
   */
  readonly account: "kept" | "new" | "damaged" | null;
  /** Parts that an embedded engine does not serve, because they are damaged. */
  readonly parts_set_aside: number;
  /** The first ten of them. */
  readonly parts: readonly SetAsidePart[];
  /** The roots, up to a bound, of all tenants. */
  readonly roots: readonly string[];
}

/** The first of the traces that a report counts, for principals of all tenants. */
interface NamedRoots {
  readonly roots_named: readonly string[];
}

/** Most traces that a report names. */
export const rootsNamedMax = 5;

/** State of the receiving side for the health view; counts, codes and few ids of traces. */
export interface IngestReport {
  readonly receiving: boolean;
  readonly conservation: ConservationSnapshot;
  readonly journal: {
    readonly healthy: boolean;
    readonly failure: string | null;
    readonly pending_spans: number;
    readonly pending_frames: number;
    readonly oldest_pending_at: string | null;
    readonly disk_bytes: number;
    readonly bytes_max: number;
    readonly segments: number;
    readonly corrupt_ranges: number;
    readonly lost_frames: number;
    readonly quarantined_spans: number;
  };
  readonly drain: {
    readonly stored_events: number;
    readonly stored_batches: number;
    readonly retries: number;
    readonly unverified: number;
    readonly in_flight: number;
    readonly failure: string | null;
  };
  /** What is gone; null until the events are counted, or where nothing is compared. */
  readonly missing: (Omit<MissingEvidence, "roots"> & NamedRoots) | null;
  /** Damage that reads and writes of the store met. */
  readonly damaged: DamageReport & NamedRoots;
  /** Spans on their way to another endpoint; null without one. */
  readonly forward: ForwardState | null;
}

/** The receiving side's interface for the reading side. */
export interface IngestDesk {
  /** False while the journal cannot make data durable. */
  healthy(): boolean;
  /**
   * Whether a span would be accepted now: ingest is enabled, the journal is healthy and has room.
   */
  accepting(): boolean;
  /** Acknowledged frames that are not readable yet. */
  pendingFrames(): number;
  /**
   * Waits until everything acknowledged before this call is readable, at most `waitMs`; returns
   * the number of frames that are not. With roots both are of frames that may have events of them.
   */
  settled(waitMs: number, roots?: readonly string[]): Promise<number>;
  /** A time of receipt after everything received so far, ISO 8601 UTC with microseconds. */
  mark(): string;
  /** A counter that is incremented when events become readable. */
  storedBatches(): number;
  /** Waits until the counter passes `seen`, the time is over or the collector closes. */
  nextStored(seen: number, waitMs: number, signal: AbortSignal): Promise<void>;
  report(): IngestReport;
  /**
   * Traces with rows that are damaged or gone, of all tenants: never shown. Null: more of them than
   * a question is compared with.
   */
  gaps(): readonly string[] | null;
  /** Acknowledged data that is not in the store; contains roots of all tenants. */
  losses(): JournalLosses;
  /**
   * Resolves when the losses of the other collectors of a shared store are known; absent where
   * there are no others.
   */
  othersKnown?(): Promise<void>;
  /** Records what is gone from the store: no verdict of these roots is a success any more. */
  noteMissing(missing: MissingEvidence): void;
  /** Stops receiving, drains within the deadline and releases the journal. */
  close(deadlineMs: number): Promise<void>;
}
