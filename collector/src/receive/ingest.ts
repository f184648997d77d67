/**
 * @module Ingest desk: what the rest of the collector may know of the receiving side. What became
 * readable, what is pending, and where every received item is.
 */
import type { ConservationSnapshot } from "./conservation.ts";
import type { JournalLosses } from "./otlp/journal-losses.ts";

/** What the health view says of the receiving side; counts and codes only. */
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
}

/** The receiving side, seen from the reading side. */
export interface IngestDesk {
  /** False while the journal cannot make data durable. */
  healthy(): boolean;
  /** Whether a span that is sent now is taken: it is switched on, the journal is well and has room. */
  accepting(): boolean;
  /** Frames that are acknowledged and not yet readable. */
  pendingFrames(): number;
  /**
   * Waits until what was acknowledged before this call is readable, at most `waitMs`; how many
   * frames of it are not.
   */
  settled(waitMs: number): Promise<number>;
  /** A time of receipt after everything received so far, ISO 8601 UTC with microseconds. */
  mark(): string;
  /** A counter that grows when something became readable. */
  storedBatches(): number;
  /** Waits until the counter passed `seen`, the time is over or the collector closes. */
  nextStored(seen: number, waitMs: number, signal: AbortSignal): Promise<void>;
  report(): IngestReport;
  /** What was acknowledged and no store holds; names roots of all tenants. */
  losses(): JournalLosses;
  /** Stops receiving, drains within the deadline and lets go of the journal. */
  close(deadlineMs: number): Promise<void>;
}
