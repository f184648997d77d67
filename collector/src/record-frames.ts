/** @module RecordFrames: the turns of a batch that the drain has stored, into the ledger. */
import { storedEvents } from "@turnproof/exporter/journal";
import type { StoredFrames } from "@turnproof/exporter/journal";
import { CodedError } from "@turnproof/semconv";
import type { TurnRecorder } from "@turnproof/store";

import type { Log } from "./log.ts";
import { decodeFrame } from "./otlp/frame-codec.ts";

/** Writes the turns of a batch. */
export type RecordBatch = (batch: StoredFrames) => Promise<void>;

/** Writes them by this recorder. */
export function recordFrames(recorder: TurnRecorder): RecordBatch {
  const decode = (payload: Uint8Array): { events: ReturnType<typeof decodeFrame> } => ({
    events: decodeFrame(payload),
  });
  return async (batch) => recorder.stored(await storedEvents(batch, decode));
}

/** Writes them by `other`; a thread that has ended, as on closing, leaves them to `own`. */
export function recordElsewhere(other: RecordBatch | undefined, own: RecordBatch): RecordBatch {
  if (other === undefined) return own;
  return (batch) => other(batch).catch(() => own(batch));
}

/** What fails is said and left to the judge, which finds the roots by their receipt. */
export function loggedRecord(record: RecordBatch, log: Log): RecordBatch {
  return async (batch) => {
    try {
      await record(batch);
    } catch (error) {
      log.warn("turns_not_recorded", {
        code: CodedError.is(error) ? error.code : "internal_error",
      });
    }
  };
}
