/**
 * @module PreparedRows: a batch as rows of bundles, for a store that writes such rows. The result
 * is plain data, so that a worker thread can build it.
 */
import type { EvidenceBatch, PreparedBatch, TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";
import { packBundles, packPaced } from "./pack.ts";
import type { BundleRow } from "./pack.ts";

/** A batch ready to be written; plain data. */
export interface PreparedRows extends PreparedBatch {
  readonly rows: readonly BundleRow[];
}

/** A batch under construction, event by event. */
export class RowPreparer {
  private readonly events: StoredEvent[] = [];

  /** Adds an event. @throws CodedError `store_rejected_row` for one that can never be stored */
  add(event: TurnEvent, receivedAt: string): void {
    this.events.push(storedForm(event, receivedAt));
  }

  /** The batch, under its id. */
  finish(batchId: string, receivedAt: string): PreparedRows {
    const { length: events } = this.events;
    return { batchId, receivedAt, events, rows: packBundles(this.events) };
  }
}

/**
 * The rows of a batch that comes as events, or prepared.
 *
 * @param isPaced with pauses, in which the thread answers others
 * @throws CodedError `store_rejected_row` for a row that can never be stored, and for a batch that
 *   was prepared for another kind of store
 */
export async function rowsOfBatch(
  batch: EvidenceBatch | PreparedBatch,
  isPaced = true,
): Promise<readonly BundleRow[]> {
  if (typeof batch.events !== "number") {
    const { events, receivedAt } = batch as EvidenceBatch;
    const stored = events.map((event) => storedForm(event, receivedAt));
    return isPaced ? packPaced(stored) : packBundles(stored);
  }
  const { rows } = batch as Partial<PreparedRows>;
  if (rows === undefined) throw new CodedError("store_rejected_row");
  return rows;
}
