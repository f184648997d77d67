/**
 * @module PreparedBatch: a batch as blocks of bundles for an engine. The result is plain data, so
 * that a worker thread can build it.
 */
import type { EvidenceBatch, PreparedBatch, TurnEvent } from "@turnproof/evidence";

import { microseconds, storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";
import { batchNumber, batchWord, bundleRows, emptyRow, encodeRows } from "./bundle-table.ts";
import type { WeekBlock } from "./bundle-table.ts";

/** A batch ready to be sent; plain data. */
export interface PreparedBundles extends PreparedBatch {
  readonly weeks: readonly WeekBlock[];
}

/**
 * The blocks of a batch. @throws CodedError `store_rejected_row` when a row can never be stored
 */
export function prepareBatch({ batchId, receivedAt, events }: EvidenceBatch): PreparedBundles {
  const preparer = new BlockPreparer();
  for (const event of events) preparer.add(event, receivedAt);
  return preparer.finish(batchId, receivedAt);
}

/** A batch under construction, event by event. */
export class BlockPreparer {
  private readonly events: StoredEvent[] = [];

  /** Adds an event. @throws CodedError `store_rejected_row` for one that can never be stored */
  add(event: TurnEvent, receivedAt: string): void {
    this.events.push(storedForm(event, receivedAt));
  }

  /**
   * The batch, under its id. @throws CodedError `store_rejected_row` when a row can never be
   * stored
   */
  finish(batchId: string, receivedAt: string): PreparedBundles {
    const events = this.events.length;
    const rows = events === 0 ? [emptyRow(microseconds(receivedAt))] : bundleRows(this.events);
    const words = [batchWord(batchId)];
    const weeks = encodeRows([{ number: batchNumber(batchId), events, words, rows }]);
    return { batchId, receivedAt, events, weeks };
  }
}

/** Memory of the blocks of a part that {@link BlockPreparer} made, to be transferred with it. */
export function blockMemory(part: PreparedBatch | null): readonly ArrayBuffer[] {
  const { weeks } = (part ?? { weeks: [] }) as Pick<PreparedBundles, "weeks">;
  return weeks.map(({ block }) => block.bytes.buffer as ArrayBuffer);
}
