/**
 * @module EraseQuarantine: removes a user's rows from quarantined records, for the command that
 * deletes a user. A record is rewritten without them before the old one is deleted.
 */
import type { Journal } from "./contract.ts";
import type { QuarantineRecord } from "./quarantine.ts";

/** What remains of a record. */
export interface KeptRows {
  /** The payload of the remaining rows, or undefined when none remains. */
  readonly payload: Uint8Array | undefined;
  /** Remaining rows. */
  readonly kept: number;
  /** Rows of the user among those that were set aside. */
  readonly gone: number;
}

/** Result of a run. */
export interface QuarantineErasure {
  readonly found: number;
  readonly deleted: number;
  /** Records that cannot be read, so that their user is unknown. */
  readonly unreadable: number;
}

/** Processes all records. @param keep what remains of a record; undefined: it cannot be read */
export async function eraseQuarantine(
  journal: Journal,
  keep: (record: QuarantineRecord) => KeptRows | undefined,
  dryRun: boolean,
): Promise<QuarantineErasure> {
  let [found, deleted, unreadable] = [0, 0, 0];
  for await (const record of journal.quarantined()) {
    const rest = keep(record);
    if (rest === undefined) {
      unreadable += 1;
      continue;
    }
    if (rest.payload !== undefined && rest.gone === 0 && rest.payload === record.payload) continue;
    found += rest.gone;
    if (dryRun) continue;
    if (rest.payload !== undefined && rest.kept > 0) {
      const { kept, payload } = rest;
      const rows = Array.from({ length: kept }, (_, at) => at);
      await journal.quarantine({ code: record.code, payload, rows, spans: kept });
    }
    await journal.releaseQuarantined(record.id);
    deleted += rest.gone;
  }
  return { found, deleted, unreadable };
}
