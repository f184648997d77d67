/** @module RecordFrames: the turns of a batch that the drain has stored, into the ledger. */
import { eachStoredEvent } from "@turnproof/exporter/journal";
import type { DecodeFrame, StoredFrames } from "@turnproof/exporter/journal";
import { CodedError } from "@turnproof/semconv";
import { paced } from "@turnproof/store";
import type { TurnRecorder } from "@turnproof/store";

import type { Log } from "../log.ts";
import { decodeFrame } from "./otlp/frame-codec.ts";

/** Writes the turns of a batch. */
export type RecordBatch = (batch: StoredFrames) => Promise<void>;

/** Writes them by this recorder; one frame after another is decoded, and others go between. */
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
