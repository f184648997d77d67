/** @module RecordFrames: writes the turns of a stored batch to the ledger. */
import { eachStoredEvent } from "@turnproof/journal";
import type { DecodeFrame, StoredFrames } from "@turnproof/journal";
import { codeOf } from "@turnproof/semconv";
import { paced } from "@turnproof/store";
import type { TurnRecorder } from "@turnproof/store";

import type { Log } from "../log.ts";
import { decodeFrame } from "./otlp/frame-codec.ts";

/** Writes the turns of a batch. */
export type RecordBatch = (batch: StoredFrames) => Promise<void>;

/**
 * Writes them with this recorder; frames are decoded one by one, and other work runs in between.
 */
export function recordFrames(recorder: TurnRecorder): RecordBatch {
  return (batch) => {
    const keep = paced();
    const decode: DecodeFrame = async (payload) => {
      await keep();
      return { events: decodeFrame(payload) };
    };
    return recorder.stored((visit) => eachStoredEvent(batch, decode, visit));
  };
}

/** Writes them with `other`; when that thread has ended, as on closing, `own` does it. */
export function recordElsewhere(other: RecordBatch | undefined, own: RecordBatch): RecordBatch {
  if (other === undefined) return own;
  // The turns of the batch are written here instead.
  return (batch) => other(batch).catch(() => own(batch));
}

/** A failure is logged and left to the judge, which finds the roots by their receipt. */
export function loggedRecord(record: RecordBatch, log: Log): RecordBatch {
  return async (batch) => {
    try {
      await record(batch);
    } catch (error) {
      log.warn("turns_not_recorded", {
        code: codeOf(error),
      });
    }
  };
}
