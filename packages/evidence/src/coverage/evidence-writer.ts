/**
 * @module Evidence writer: the port through which evidence is written to a store. It is in this
 * package so that an exporter needs no store to be installed.
 */
import type { TurnEvent } from "../event/event.ts";

/** Events that become durable together. */
export interface EvidenceBatch {
  /** Hash of the content: the same batch sent twice has the same id and is stored once. */
  readonly batchId: string;
  /**
   * Time of receipt by the collector, ISO 8601 UTC with microseconds; partition and page order.
   */
  readonly receivedAt: string;
  /**
   * Guarded events as recorded, identity unresolved; each has a root and may have an earlier
   * `received_at`. An empty string or list means absent.
   */
  readonly events: readonly TurnEvent[];
}

/**
 * A batch in its store's own form, made by `@turnproof/store/prepare` in any thread; plain data,
 * opaque to everything but that store.
 */
export interface PreparedBatch {
  readonly batchId: string;
  readonly receivedAt: string;
  /** Number of its events. */
  readonly events: number;
}

/** What a store has of a batch. */
export interface BatchReadback {
  readonly rows: number;
  /** True when the manifest, which is written last, exists and matches the rows. */
  readonly complete: boolean;
}

/** Append-only access, for ingest. */
export interface EvidenceWriter {
  /**
   * Resolves when every event is durable and readable. Idempotent: the same `batchId` is stored
   * once. Rejects with a CodedError whose `retryable` is whether to retry with the same bytes;
   * `store_rejected_row` is the only permanent one.
   */
  append(batch: EvidenceBatch): Promise<void>;
  /**
   * `append` for a batch that was prepared elsewhere, with the same guarantees and codes. A store
   * that accepts events only rejects with `store_rejected_row`: the caller then sends the events.
   */
  appendPrepared(batch: PreparedBatch): Promise<void>;
  /** Reads the batch back; an unknown batch has zero rows. */
  readBack(batchId: string, receivedAt: string): Promise<BatchReadback>;
}
