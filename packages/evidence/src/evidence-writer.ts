/**
 * @module Evidence writer: the port through which evidence goes into a store. It stands beside the
 * events, so that an exporter needs no store to be installed.
 */
import type { TurnEvent } from "./event.ts";

/** Events that become durable together. */
export interface EvidenceBatch {
  /** Hash of the content: the same batch sent twice carries the same id and leaves one copy. */
  readonly batchId: string;
  /** Collector time of receipt, ISO 8601 UTC with microseconds; partition and page order. */
  readonly receivedAt: string;
  /**
   * Guarded events as said, identity unresolved; each has a root and may carry an earlier
   * `received_at`. An empty string or list is the same as an absent one.
   */
  readonly events: readonly TurnEvent[];
}

/**
 * A batch in the form in which its store sends it, made by `@turnproof/store/prepare` in whichever
 * thread; plain data, and opaque to everybody but that store.
 */
export interface PreparedBatch {
  readonly batchId: string;
  readonly receivedAt: string;
  /** How many events it holds. */
  readonly events: number;
}

/** What a store holds of a batch, read back from it. */
export interface BatchReadback {
  readonly rows: number;
  /** True when the manifest that is written last is there and agrees with the rows. */
  readonly complete: boolean;
}

/** Appends only; the handle of ingest. */
export interface EvidenceWriter {
  /**
   * Resolves when every event is durable and readable. Idempotent: the same `batchId` leaves one
   * copy. Rejects with a CodedError whose `retryable` says whether to try again with the same
   * bytes; `store_rejected_row` is the only permanent one.
   */
  append(batch: EvidenceBatch): Promise<void>;
  /**
   * `append` of a batch that was prepared elsewhere, with the same promise and the same codes; absent
   * where a store takes events only: its provider does not declare `prepared`.
   */
  readonly appendPrepared?: (batch: PreparedBatch) => Promise<void>;
  /** Reads back what is held of the batch; a batch never seen has zero rows. */
  readBack(batchId: string, receivedAt: string): Promise<BatchReadback>;
}
